import { inspect } from "node:util";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { withoutSecrets } from "../../src/engine/redact.ts";
import { type ScriptedError, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { type FakeScope, fakeScope } from "../support/fake-scope.ts";

function failing(errors: readonly ScriptedError[], options: { maxModelAttempts?: number } = {}): FakeScope {
  const turns: ScriptedTurn[] = errors.map((error) => ({ error }));
  return fakeScope(defineAgent({ id: "a", model: scriptedModel([...turns, { text: "At last" }]), ...options }));
}

describe("a failed model request is retried", () => {
  test.each([429, 500, 502, 503, 529])("after status %i", async (status) => {
    const scope = failing([{ message: "overloaded", status }]);
    expect((await scope.run()).content).toBe("At last");
    expect(scope.names.filter((name) => name === "ModelRequestStarted")).toHaveLength(1);
  });

  test("with waits that double and have jitter", async () => {
    const scope = failing([500, 500, 500].map((status) => ({ message: "overloaded", status })));
    await scope.run();
    expect(scope.clock.slept).toEqual([375, 750, 1500]);
  });

  test.each([
    ["retry-after in seconds", { "retry-after": "7" }, 7_000],
    ["retry-after-ms, which wins over retry-after", { "retry-after": "7", "retry-after-ms": "120" }, 120],
    ["retry-after as a date", { "retry-after": "Sat, 21 Nov 2026 09:09:44 GMT" }, 3_000],
  ])("after the wait that the provider asks for: %s", async (_, headers, waited) => {
    const scope = failing([{ message: "slow down", status: 429, headers }]);
    await scope.run();
    expect(scope.clock.slept).toEqual([waited]);
  });

  test("after an error in the stream before the first delta", async () => {
    const overload = { type: "overloaded_error", message: "Overloaded", statusCode: 529, isRetryable: true };
    const model = scriptedModel(["At last"]);
    let calls = 0;
    const doStream: typeof model.doStream = async (options) => {
      if (++calls > 1) return model.doStream(options);
      return {
        stream: new ReadableStream({ start: (controller) => controller.enqueue({ type: "error", error: overload }) }),
      };
    };
    const scope = fakeScope(defineAgent({ id: "a", model: { ...model, doStream } }));
    expect((await scope.run()).content).toBe("At last");
  });

  test("after a network error, and after a stream that ends early", async () => {
    const network = Object.assign(new TypeError("fetch failed"), {
      cause: Object.assign(new Error("gone"), { code: "ECONNRESET" }),
    });
    const model = scriptedModel(["At last"]);
    let calls = 0;
    const doStream: typeof model.doStream = async (options) => {
      calls++;
      if (calls === 1) throw network;
      if (calls === 2) return { stream: new ReadableStream({ start: (controller) => controller.close() }) };
      return model.doStream(options);
    };
    const scope = fakeScope(defineAgent({ id: "a", model: { ...model, doStream } }));
    expect((await scope.run()).content).toBe("At last");
    expect(calls).toBe(3);
  });
});

describe("a failed model request is not retried", () => {
  test("after maxModelAttempts tries, and the error names their number", async () => {
    const scope = failing(
      [1, 2, 3].map(() => ({ message: "overloaded", status: 503 })),
      { maxModelAttempts: 3 },
    );
    await expect(scope.run()).rejects.toMatchObject({
      type: "model_provider_error",
      message: "overloaded (tried 3 times)",
    });
  });

  test("after status 404", async () => {
    const scope = failing([{ message: "no such model", status: 404 }]);
    await expect(scope.run()).rejects.toThrow("no such model");
    expect(scope.clock.slept).toEqual([]);
  });

  test("when retry-after is longer than a run waits", async () => {
    const scope = failing([{ message: "Quota used up", status: 429, headers: { "retry-after": "3600" } }]);
    await expect(scope.run()).rejects.toMatchObject({ type: "model_rate_limit_error", message: "Quota used up" });
  });

  test("after the first deltas have been emitted", async () => {
    const error = { message: "overloaded", status: 503, afterDeltas: 2 };
    const scope = fakeScope(
      defineAgent({ id: "a", model: scriptedModel([{ text: "one two three", error }, "again"]) }),
    );
    await expect(scope.run()).rejects.toThrow("overloaded");
    expect(scope.names.filter((name) => name === "RunContent")).toHaveLength(2);
    expect(scope.partialOutput?.().content).toBe("one two");
  });

  test("after a cancel", async () => {
    const scope = failing([{ message: "overloaded", status: 503 }]);
    scope.clock.sleep = async () => scope.stop({ kind: "cancelled" });
    await expect(scope.run()).rejects.toThrow("The run stops: cancelled.");
  });
});

describe("the error of a failed model request", () => {
  test("hides the key of rejected credentials", async () => {
    const scope = failing([
      {
        message: "Incorrect API key provided: sk-proj-abc***xyz. You can find your key at https://x.example",
        status: 401,
      },
    ]);
    await expect(scope.run()).rejects.toThrow(
      "Incorrect API key provided: [hidden] You can find your key at https://x.example " +
        "(Scripted refused the credentials for the model scripted-model: check its API key)",
    );
  });

  test("contains neither the key nor the request body when it is inspected for the log", async () => {
    const scope = failing([{ message: "Incorrect API key provided: sk-proj-abcdef", status: 401 }]);
    const failure = await scope.run().catch((error: unknown) => error as Error);
    const told = inspect(failure, { depth: 10 });
    expect(told).toContain("Incorrect API key provided: [hidden]");
    expect(told).not.toMatch(/sk-proj|requestBodyValues/);
  });

  test("names the status of an error without a message", async () => {
    const error = new APICallError({ message: "", url: "https://x.example", requestBodyValues: {}, statusCode: 400 });
    const model = { ...scriptedModel([]), doStream: () => Promise.reject(error) };
    await expect(fakeScope(defineAgent({ id: "a", model })).run()).rejects.toThrow(
      "Scripted failed with status 400 without a reason.",
    );
  });

  test.each([
    ["content-filter", "content_filter"],
    ["length", "output_limit"],
  ] as const)("has a type of its own for an empty answer: %s", async (finish, type) => {
    const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([{ text: "", finish }]) }));
    await expect(scope.run()).rejects.toMatchObject({ type });
  });

  test.each([
    ["Bearer abc.def-ghi_jkl", "Bearer [hidden]"],
    ["key sk-ant-api03-XyZ_123-456", "key [hidden]"],
    ["AIzaSyA1234567890abcdef", "[hidden]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc", "[hidden]"],
    ['{"api_key": "abcdef123"}', '{"api_key": "[hidden]"}'],
    ["x-api-key: abcdef", "x-api-key: [hidden]"],
    ["https://user:pass@db.example/x", "https://[hidden]@db.example/x"],
    ["GET /v1?key=abc123&x=1", "GET /v1?key=[hidden]&x=1"],
    ["token 0123456789abcdef0123456789abcdef", "token [hidden]"],
    ["request req_011CSabcdefghijklmnopqrst failed", "request req_011CSabcdefghijklmnopqrst failed"],
    ["run 4c647e53-b2af-4439-bedf-5f93e5d87f9f", "run 4c647e53-b2af-4439-bedf-5f93e5d87f9f"],
    ["model claude-sonnet-4-5-20250929 is overloaded", "model claude-sonnet-4-5-20250929 is overloaded"],
    ["maximum context length is 128000 tokens", "maximum context length is 128000 tokens"],
  ])("redacts secrets and keeps ids: %s", (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  test("is cut to 2,000 characters, and redaction takes less than a second", () => {
    expect(withoutSecrets("x ".repeat(10_000))).toHaveLength(2_001);
    // CPU time of this process only, independent of the machine's load: a search that backtracks takes minutes.
    const begun = process.cpuUsage();
    withoutSecrets("a".repeat(4_000));
    withoutSecrets("sk-".repeat(1_300));
    withoutSecrets("a:b".repeat(1_300));
    expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
  });
});
