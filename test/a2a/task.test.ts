/** Tasks built from the stored rows of runs. */
import { describe, expect, test } from "vitest";
import type { Part } from "../../src/interfaces/a2a/protocol.ts";
import { toInput, toKept } from "../../src/interfaces/a2a/task/parts.ts";
import { recordedTaskOf, taskOf } from "../../src/interfaces/a2a/task/task-of.ts";
import type { RunOptions, RunOutput } from "../../src/model/run/record.ts";
import type { RunStatus } from "../../src/model/run/run.ts";
import type { RunRow } from "../../src/store/contract/store.ts";

interface Stored {
  readonly status: RunStatus;
  readonly output?: Partial<RunOutput>;
  readonly options?: RunOptions;
  readonly input?: object;
  readonly kind?: RunRow["kind"];
}

function row({ status, output, options = {}, input = { message: "hello" }, kind = "agent" }: Stored): RunRow {
  return {
    ...{
      key: 1,
      runId: "r",
      rootKey: 1,
      parentKey: null,
      parentRunId: null,
      kind,
      componentId: "a",
      componentName: "A",
    },
    ...{
      sessionKey: 1,
      sessionId: "s",
      owner: "",
      sessionSeq: 1,
      userId: null,
      model: null,
      modelProvider: null,
      createdAt: 0,
    },
    ...{ status, replacedBy: null, toolCallId: null },
    ...{
      input: JSON.stringify(input),
      options: JSON.stringify(options),
      output: output ? JSON.stringify(output) : null,
    },
  };
}

const file = { kind: "file", mediaType: "text/csv", filename: "a.csv", data: "YQ==" } as const;

describe("the task of a stored run", () => {
  test("has the answer and files as artifacts, and the first message as history, exactly as it was sent", () => {
    const a2a = { messageId: "m1", metadata: { x: 1 }, extensions: ["e"], referenceTaskIds: ["t"] };
    const input = { message: "hello", media: [file] };
    const filePart: Part = { kind: "file", file: { bytes: "YQ==", mimeType: "text/csv", name: "a.csv" } };
    const options = { a2a, metadata: { purpose: "test" } };
    const task = taskOf(row({ status: "COMPLETED", output: { content: "hi", media: [file] }, options, input }));
    expect(task).toEqual({
      ...{ kind: "task", id: "r", contextId: "s", status: { state: "completed" }, metadata: { purpose: "test" } },
      history: [
        {
          ...{ kind: "message", role: "user", taskId: "r", contextId: "s", ...a2a },
          parts: [{ kind: "text", text: "hello" }, filePart],
        },
      ],
      artifacts: [
        { artifactId: "answer", name: "answer", parts: [{ kind: "text", text: "hi" }] },
        { artifactId: "file-1", name: "a.csv", parts: [filePart] },
      ],
    });
    const parts: readonly Part[] = [
      filePart,
      { kind: "text", text: "one" },
      { kind: "data", data: null, metadata: { x: 1 } },
      { kind: "text", text: "two" },
    ];
    const kept = toKept(parts) ?? [];
    const mixed = row({
      status: "RUNNING",
      input: { ...toInput(parts) },
      options: { a2a: { messageId: "m", parts: kept } },
    });
    expect(taskOf(mixed).history?.[0]?.parts).toEqual(parts);
    expect(toKept([{ kind: "text", text: "hello" }, filePart])).toBeUndefined();
    const whole = row({ status: "COMPLETED", output: { content: "hi" } });
    expect(taskOf(whole, { historyLength: 0, withArtifacts: false })).toEqual({
      ...{ kind: "task", id: "r", contextId: "s", status: { state: "completed" } },
    });
    expect(taskOf(whole).history?.[0]?.messageId).toBe("r/message");
  });

  test.each<Stored>([
    { status: "CANCELLED", output: { content: "so far" } },
    { status: "ERROR", output: { content: "why", partial: "so far" } },
    { status: "PAUSED", output: { content: "so far", pause: { kind: "tool", requirements: [] } } },
  ])("with %j has its partial answer as an artifact", (stored) => {
    const parts = [{ kind: "text", text: "so far" }];
    expect(taskOf(row(stored)).artifacts).toEqual([{ artifactId: "answer", name: "answer", parts }]);
  });

  test.each<[Stored, string]>([
    [{ status: "PENDING" }, "submitted"],
    [{ status: "RUNNING" }, "working"],
    [{ status: "CANCELLED" }, "canceled"],
    [{ status: "ERROR", output: { error: { message: "secret", type: "x", id: "e" } } }, "failed"],
    [{ status: "PAUSED", output: { pause: { kind: "tool", requirements: [] } } }, "input-required"],
    [
      { status: "PAUSED", kind: "workflow", output: { pause: { kind: "step", stepRequirements: [] } } },
      "input-required",
    ],
  ])("with %j has the state %s and no internal detail", (stored, state) => {
    const task = taskOf(row(stored));
    expect([task.status.state, task.artifacts]).toEqual([state, undefined]);
    expect(recordedTaskOf(row(stored)).status).toEqual({ state });
    expect(JSON.stringify([task, recordedTaskOf(row(stored))])).not.toContain("secret");
    if (state === "failed")
      expect(task.status.message?.parts).toEqual([{ kind: "text", text: "The task failed. (error e)" }]);
    if (state === "input-required")
      expect(task.status.message?.parts.map(({ kind }) => kind)).toEqual(["text", "data"]);
  });

  test.each<[readonly string[] | undefined, string]>([
    [undefined, "data"],
    [["application/json"], "data"],
    [["*/*"], "data"],
    [["application/*"], "data"],
    [["text/plain"], "text"],
    [["text"], "text"],
  ])("for a client that accepts %j has its structured answer as %s", (acceptedOutputModes, kind) => {
    const options: RunOptions = acceptedOutputModes ? { a2a: { messageId: "m", acceptedOutputModes } } : {};
    const stored = row({ status: "COMPLETED", output: { content: { a: 1 } }, options });
    expect(taskOf(stored).artifacts?.[0]?.parts[0]?.kind).toBe(kind);
    expect(recordedTaskOf(stored).artifacts?.[0]?.parts[0]?.kind).toBe(kind);
  });
});
