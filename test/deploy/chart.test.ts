/** The Helm chart, rendered by Helm's own engine and decoded strictly as Kubernetes types. Needs Go. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const chart = join(import.meta.dirname, "../../deploy/chart");
const hasGo = spawnSync("go", ["version"]).status === 0;

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds, read by path
type KubernetesObject = any;

describe.runIf(hasGo)("the chart", () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-chart-"));
  const check = join(folder, "chart-check");
  beforeAll(
    () => promisify(execFile)("go", ["build", "-o", check, "."], { cwd: join(import.meta.dirname, "chart-check") }),
    600_000,
  );
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Renders the chart, and returns its objects by kind. A fault of the chart throws. */
  function render(values: object = {}): Record<string, KubernetesObject> {
    const output = execFileSync(check, [chart], { input: JSON.stringify(values), encoding: "utf8", stdio: "pipe" });
    const objects = JSON.parse(output) as KubernetesObject[];
    return Object.fromEntries(objects.map((object) => [object.kind, object]));
  }

  test("renders valid objects with its default values", () => {
    expect(Object.keys(render()).sort()).toEqual([
      ...["Deployment", "Job", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount"],
    ]);
  });

  test("pods run without root, on a read-only file system, without capabilities", () => {
    const { Deployment, Job } = render();
    for (const { spec } of [Deployment.spec.template, Job.spec.template]) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  test("the connection string is a reference to a secret, in the server and in the job of the migrations", () => {
    const { Deployment, Job } = render({
      database: { secret: "db", key: "uri", directKey: "direct", readKey: "read" },
    });
    const expected = [
      { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "db", key: "uri" } } },
      { name: "DATABASE_DIRECT_URL", valueFrom: { secretKeyRef: { name: "db", key: "direct" } } },
      { name: "DATABASE_READ_URL", valueFrom: { secretKeyRef: { name: "db", key: "read" } } },
    ];
    for (const { spec } of [Deployment.spec.template, Job.spec.template])
      expect(spec.containers[0].env).toEqual(expect.arrayContaining(expected));
    expect(Job.spec.template.spec.containers[0].args).toEqual(["migrate"]);
  });

  test("kubelet waits longer for a pod than the server waits for its runs", () => {
    const { spec } = render({ shutdownTimeoutSeconds: 90 }).Deployment.spec.template;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(90);
    expect(spec.containers[0].args).toContain("--shutdown-timeout=90");
  });

  test("with autoscaling, the autoscaler sets the number of replicas by the queue's wait", () => {
    const { Deployment, HorizontalPodAutoscaler } = render({ autoscaling: { enabled: true, maxQueueWaitSeconds: 5 } });
    expect(Deployment.spec.replicas).toBeUndefined();
    expect(HorizontalPodAutoscaler.spec.metrics).toEqual([
      {
        type: "External",
        external: {
          metric: { name: "troupe_queue_oldest_wait_seconds" },
          target: { type: "Value", value: "5" },
        },
      },
    ]);
  });

  test("optional parts can be switched off", () => {
    const off = { enabled: false };
    const objects = render({ metrics: off, podDisruptionBudget: off, networkPolicy: off });
    expect(Object.keys(objects).sort()).toEqual(["Deployment", "Job", "Service", "ServiceAccount"]);
    const [container] = objects.Deployment.spec.template.spec.containers;
    expect(container.ports).toEqual([{ name: "http", containerPort: 7777 }]);
  });

  test("a value of the wrong type is a fault", () => {
    expect(() => render({ replicas: "two" })).toThrow(/replicas/);
  });
});
