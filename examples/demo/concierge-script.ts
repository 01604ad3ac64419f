/** The script of the concierge: it remembers a name and what its user likes, and says where it learned it. */
import type { ScriptedCall, ScriptedTurn } from "troupe/testing";

interface KnownFact {
  readonly memory: string;
  readonly learned?: { readonly at: string; readonly session?: string };
}

/** Answers from the memories in the prompt. The same model also extracts memories after each run. */
export function concierge(call: ScriptedCall): ScriptedTurn {
  if (call.system.startsWith("You maintain what an assistant remembers"))
    return { text: call.message.startsWith("<memories>") ? merged(call.message) : extracted(call.message) };
  const facts = factsIn(call.system);
  const name = nameIn(call.message);
  const known = facts.map(({ memory }) => /^The user's name is (.+)\.$/.exec(memory)?.[1]).find(Boolean);
  if (/\b(who am i|my name\?|know (?:about )?me|remember (?:about )?me|about me|how do you know)/i.test(call.message))
    return slowly(
      facts.length === 0
        ? "I know nothing about you yet. Tell me your name, for instance: my name is Ada."
        : facts.map((fact) => `${addressed(fact.memory)} ${sourceOf(fact)}`).join("\n\n"),
    );
  if (name) return slowly(`Nice to meet you, ${name}. I will remember your name: ask me in a new chat who you are.`);
  if (likingIn(call.message)) return slowly("Good to know. I will remember that.");
  return slowly(`Hello${known ? `, ${known}` : ""}! Tell me your name or what you like, or ask: who am I?`);
}

function slowly(text: string): ScriptedTurn {
  return { text, wait: 250, delay: () => 20 + Math.random() * 15 };
}

function sourceOf({ learned }: KnownFact): string {
  const session = learned?.session === undefined ? "" : `, in the session ${learned.session}`;
  return learned ? `I learned that on ${learned.at.replace("T", " at ")} UTC${session}.` : "";
}

function addressed(memory: string): string {
  return memory.replace(/^The user's name is/, "Your name is").replace(/^The user likes/, "You like");
}

function factsIn(system: string): readonly KnownFact[] {
  const [, section = ""] = /<memories>\n([\s\S]*)\n<\/memories>/.exec(system) ?? [];
  return linesOf(section);
}

function nameIn(text: string): string | undefined {
  return /\bmy name is (\p{L}[\p{L}'-]*)/iu.exec(text)?.[1];
}

function likingIn(text: string): string | undefined {
  return /\bI (?:like|love) ([^.!?]+)/i.exec(text)?.[1]?.trim();
}

/** The operations that an extraction returns: a new name replaces the known one. */
function extracted(message: string): string {
  const [, known = "", said = ""] =
    /<known_memories>\n([\s\S]*)\n<\/known_memories>\n<conversation>\n([\s\S]*)\n<\/conversation>/.exec(message) ?? [];
  const memories = linesOf<{ readonly number: number; readonly memory: string }>(known);
  const text = linesOf<{ readonly role: string; readonly text: string }>(said)
    .map((line) => (line.role === "user" ? line.text : ""))
    .join("\n");
  const [name, liking] = [nameIn(text), likingIn(text)];
  const old = memories.find(({ memory }) => memory.startsWith("The user's name is"));
  const operations = [
    ...(name ? [{ ...toOperation(old?.number), memory: `The user's name is ${name}.`, topics: ["name"] }] : []),
    ...(liking ? [{ ...toOperation(undefined), memory: `The user likes ${liking}.`, topics: ["preferences"] }] : []),
  ];
  return JSON.stringify({ operations });
}

/** The result of a merge: one memory for everything that the user likes. */
function merged(message: string): string {
  const [, section = ""] = /^<memories>\n([\s\S]*)\n<\/memories>$/.exec(message) ?? [];
  const likings = linesOf<{ readonly number: number; readonly memory: string }>(section).flatMap((line) => {
    const [, liking] = /^The user likes (.+)\.$/.exec(line.memory) ?? [];
    return liking === undefined ? [] : [{ number: line.number, liking }];
  });
  const all = [...new Set(likings.map(({ liking }) => liking))].join(" and ");
  const one = {
    numbers: likings.map(({ number }) => number),
    memory: `The user likes ${all}.`,
    topics: ["preferences"],
  };
  return JSON.stringify({ memories: likings.length > 1 ? [one] : [] });
}

function toOperation(number: number | undefined): { readonly action: string; readonly number: number | null } {
  return number === undefined ? { action: "add", number: null } : { action: "update", number };
}

/** The lines of a section that are JSON. */
function linesOf<Line = KnownFact>(section: string): readonly Line[] {
  return section.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));
}
