/** Requests for the answer of a run whose events were removed. */
import { expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { openShop } from "./support/shop.ts";

eachDatabase("a run whose events are no longer kept", (openDatabase) => {
  test("is no empty answer for a repeated request, and the response still has its text", async () => {
    const database = await openDatabase();
    const chat = { model: "agent:clerk", messages: [{ role: "user" as const, content: "hello" }] };
    const asked = { model: "agent:clerk", input: "hello" };
    const key = (name: string) => ({ headers: { "idempotency-key": name } });
    let id: string;
    {
      await using server = await openShop(database);
      const [choice] = (await server.openai.chat.completions.create(chat, key("chat"))).choices;
      expect(choice?.message.content).toBe("You said: hello");
      ({ id } = await server.openai.responses.create(asked, key("response")));
    }
    await executeSql(
      database,
      `update run_heads set compacted = 2, first_kept = (select max(last_index) + 1 from segments where segments.run_key = run_heads.run_key);
       delete from segments;`,
    );
    await using server = await openShop(database);
    const gone = { status: 409, message: expect.stringContaining("no longer kept. GET /v1/responses/resp_") };
    await expect(server.openai.chat.completions.create(chat, key("chat"))).rejects.toMatchObject(gone);
    await expect(server.openai.responses.create(asked, key("response"))).rejects.toMatchObject(gone);
    expect((await server.openai.responses.retrieve(id)).output_text).toBe("You said: hello");
  });
});
