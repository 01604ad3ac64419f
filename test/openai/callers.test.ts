/** Authorization of the OpenAI-compatible interface: tokens, scopes and isolation. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { makePair, token } from "../support/tokens.ts";
import { openShop, type ShopServer } from "./support/shop.ts";

const pair = makePair();

eachDatabase("callers of the OpenAI-compatible interface", (openDatabase) => {
  let server: ShopServer;
  beforeAll(async () => {
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    server = await openShop(await openDatabase(), { authorization });
  });
  afterAll(() => server.end(0));
  const as = (sub: string, ...scopes: string[]) => server.as(token({ sub, scopes }, pair));

  test("a request without a valid token gets 401 with the code invalid_api_key", async () => {
    await expect(server.openai.models.list()).rejects.toMatchObject({ status: 401, code: "invalid_api_key" });
  });

  test("a caller sees and uses the models that it may run", async () => {
    const ada = as("ada", "agents:clerk:run");
    expect((await ada.models.list()).data.map(({ id }) => id)).toEqual(["agent:clerk"]);
    await expect(ada.models.retrieve("agent:counter")).rejects.toMatchObject({ status: 404 });
    await expect(ada.responses.create({ model: "agent:counter", input: "x" })).rejects.toMatchObject({ status: 403 });
    const messages = [{ role: "user" as const, content: "hello" }];
    await expect(ada.chat.completions.create({ model: "team:office", messages })).rejects.toMatchObject({
      status: 403,
      code: "permission_denied",
    });
    expect((await ada.chat.completions.create({ model: "agent:clerk", messages })).choices[0]?.finish_reason).toBe(
      "stop",
    );
  });

  test("each action requires its scope; without it, a response does not exist", async () => {
    const ada = as("ada", "agents:run");
    const { id } = await ada.responses.create({ model: "agent:clerk", input: "hello" });
    await expect(ada.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect((await as("ada", "agents:read").responses.retrieve(id)).id).toBe(id);
    await expect(as("ada", "agents:read").responses.cancel(id)).rejects.toMatchObject({ status: 404 });
    await expect(as("ada", "agents:read").responses.delete(id)).rejects.toMatchObject({ status: 404 });
    await as("ada", "agents:delete").responses.delete(id);
  });

  test("another user's response gets the same errors as an unknown one", async () => {
    const all = ["agents:run", "agents:read", "agents:delete"];
    const [ada, bob] = [as("ada", ...all), as("bob", ...all)];
    const asked = await ada.responses.create({ model: "agent:clerk", input: "measure" });
    const { id } = asked;
    const call = asked.output.find((item) => item.type === "function_call");
    const calls = (name: string, callId: string) => [
      bob.responses.retrieve(name),
      bob.responses.retrieve(name, { stream: true }),
      bob.responses.cancel(name),
      bob.responses.delete(name),
      bob.responses.inputItems.list(name),
      bob.responses.create({ model: "agent:clerk", input: "x", previous_response_id: name }),
      bob.responses.create({
        model: "agent:clerk",
        input: [{ type: "function_call_output", call_id: callId, output: "1" }],
      }),
    ];
    const seen = async (name: string, callId: string): Promise<unknown[]> =>
      (await Promise.allSettled(calls(name, callId))).map((one) =>
        one.status === "rejected" ? [one.reason.status, one.reason.message.replaceAll(name, "ID")] : "no error",
      );
    const unknown = `resp_${crypto.randomUUID()}`;
    const theirs = await seen(id, call?.call_id ?? "");
    expect(theirs).toEqual(await seen(unknown, (call?.call_id ?? "").replace(id.slice(5), unknown.slice(5))));
    expect(theirs).not.toContain("no error");
    expect((await ada.responses.retrieve(id)).status).toBe("completed");
  });

  test("the token's user counts, whatever user the request names", async () => {
    const ada = as("ada", "agents:run", "agents:read");
    const { id } = await ada.responses.create({ model: "agent:clerk", input: "hello", user: "bob" });
    expect((await ada.responses.retrieve(id)).user).toBe("ada");
    await expect(as("bob", "agents:read").responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});
