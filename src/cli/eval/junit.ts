/** Results of cases as JUnit XML, which CI systems show. */

/** The result of one case. */
export interface CaseResult {
  readonly name: string;
  readonly type: string;
  /** `error`: there is no result. */
  readonly outcome: "passed" | "failed" | "error";
  /** The score, or why there is none. */
  readonly text: string;
  readonly seconds: number;
  readonly evalId: string | undefined;
}

/** Characters that XML 1.0 cannot contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids most of them
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(forbidden, "\ufffd")
    .replace(/[&<>"\n\r\t]/g, (one) => entities[one] ?? one);
}

/** Returns the document. @param suite name of the suite: the file of the cases */
export function toJunit(suite: string, results: readonly CaseResult[]): string {
  const count = (outcome: CaseResult["outcome"]): number => results.filter((one) => one.outcome === outcome).length;
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0).toFixed(3);
  const sums = `tests="${results.length}" failures="${count("failed")}" errors="${count("error")}" time="${seconds}"`;
  const cases = results.map(({ name, type, outcome, text, seconds: time, evalId }) => {
    const open = `    <testcase name="${escaped(name)}" classname="${escaped(`${suite}.${type}`)}" time="${time.toFixed(3)}">`;
    const kind = outcome === "failed" ? "failure" : "error";
    const fault = outcome === "passed" ? [] : [`      <${kind} message="${escaped(text)}"></${kind}>`];
    const id =
      evalId === undefined
        ? []
        : [`      <properties><property name="eval_run_id" value="${escaped(evalId)}"></property></properties>`];
    return [open, ...id, ...fault, "    </testcase>"].join("\n");
  });
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${sums}>`,
    `  <testsuite name="${escaped(suite)}" ${sums}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}
