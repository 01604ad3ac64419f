/** Files sent to and returned by remote agents, over both versions of A2A. */
import { expect, test } from "vitest";
import { filesIn } from "../../src/engine/remote/a2a/files.ts";
import { taskIn } from "../../src/engine/remote/a2a/parser.ts";
import { TaskTranslator } from "../../src/engine/remote/a2a/task-translator.ts";
import { mediaIn } from "../../src/engine/remote/media.ts";
import { defineWorkflow, remoteAgent, type StepContext, step, stepOutput } from "../../src/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

const picture = Buffer.alloc(500_000, "p").toString("base64");
const note = Buffer.from("a note").toString("base64");
const made = [
  { kind: "image", mediaType: "image/png", filename: "p.png", data: picture },
  { kind: "file", mediaType: "text/plain", filename: "n.txt", data: note },
  { kind: "video", mediaType: "video/mp4", url: "https://films.example/1.mp4" },
] as const;

eachDatabase("files of a remote agent by A2A", (openDatabase) => {
  test("are sent with the message, returned with the answer, and passed to the next step, all complete", async () => {
    const given: unknown[] = [];
    const draw = ({ media }: StepContext) => {
      given.push(media);
      return stepOutput({ content: "Here they are.", media: made });
    };
    await using there = await openServer(await openDatabase(), {
      workflows: [defineWorkflow({ id: "draw", steps: [step({ name: "draw", run: draw })] })],
    });
    const far = remoteAgent({ id: "far", a2a: `${there.client.address.origin}/a2a/workflows/draw` });
    const count = ({ media }: StepContext) => media.map(({ mediaType, data, url }) => [mediaType, data?.length ?? url]);
    const round = defineWorkflow({
      id: "round",
      steps: [step({ name: "draw", agent: far }), step({ name: "count", run: count })],
    });
    await using here = await openServer(await openDatabase(), { agents: [far], workflows: [round] });
    const file = { content: "a note", mime_type: "text/plain", filename: "mine.txt" };
    const fields = { message: "draw", stream: "false", session_id: "s", input_files: JSON.stringify([file]) };
    const { body } = await here.client.post("/workflows/round/runs", fields);
    expect(body).toMatchObject({
      status: "COMPLETED",
      content: [
        ["image/png", picture.length],
        ["text/plain", note.length],
        ["video/mp4", "https://films.example/1.mp4"],
      ],
    });
    expect(given).toMatchObject([[{ kind: "file", mediaType: "text/plain", filename: "mine.txt", data: note }]]);
    const alone = await here.client.post("/agents/far/runs", { message: "draw", stream: "false", session_id: "t" });
    expect(alone.body).toMatchObject({
      content: "Here they are.",
      images: [{ mime_type: "image/png", filename: "p.png", content: picture }],
      files: [{ filename: "n.txt" }],
      videos: [{ url: "https://films.example/1.mp4" }],
    });
  });
});

test("the translator keeps valid files of an answer in either version and ignores invalid ones", () => {
  const telling = new TaskTranslator(0);
  const parts = [
    { kind: "text", text: "Look:" },
    { kind: "file", file: { uri: "https://x.example/a.mp3", mimeType: "audio/mpeg", name: "a\0.mp3" } },
    { kind: "file", file: { bytes: "not base64!" } },
    { kind: "file", file: { uri: "file:///etc/passwd" } },
    { kind: "file", file: 7 },
    { raw: "aGk=" },
  ];
  const [, content, end] = [...telling.take(taskIn({ kind: "message", messageId: "m", role: "agent", parts })!)];
  expect(JSON.parse(content!.data).content).toBe("Look:");
  expect(end?.media).toEqual([
    { kind: "audio", mediaType: "audio/mpeg", filename: "a.mp3", url: "https://x.example/a.mp3" },
    { kind: "file", mediaType: "application", data: "aGk=" },
  ]);
  expect(filesIn([{ text: "x" }, {}])).toEqual([]);
});

test("mediaIn returns the valid files of an AgentOS event, with the kind of the list that contains them", () => {
  const event = {
    images: [{ id: "1", content: "aGk=", mime_type: "image/png" }, { url: "data:x" }, null, "x"],
    audio: [{ url: "https://x.example/a", name: "a" }],
    videos: "none",
    files: [
      { content: "abcd", mime_type: "text/plain", size: "4" },
      { url: "data:application/octet-stream;base64,/w==", mime_type: "text/plain" },
      { content: "aGk=", mime_type: "application/PDF" },
      { content: "§", mime_type: "application/pdf" },
    ],
  };
  expect(mediaIn(event)).toEqual([
    { kind: "image", mediaType: "image/png", data: "aGk=", details: { id: "1" } },
    { kind: "audio", mediaType: "audio", url: "https://x.example/a", details: { name: "a" } },
    { kind: "file", mediaType: "text/plain", data: Buffer.from("abcd").toString("base64") },
    { kind: "file", mediaType: "text/plain", data: "/w==" },
    { kind: "file", mediaType: "application/pdf", data: "aGk=" },
  ]);
});
