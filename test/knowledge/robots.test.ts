/** The rules of robots.txt (RFC 9309), and files that are made to occupy the server. */
import { describe, expect, test } from "vitest";
import { isAllowedByRobots } from "../../src/runs/knowledge/robots.ts";

const allows = (lines: readonly string[], path: string): boolean =>
  isAllowedByRobots(lines.join("\n"), new URL(path, "https://docs.example").href, "Troupe");

describe("robots.txt", () => {
  test.each([
    ["without rules", [], "/a", true],
    ["with a rule before the first group", ["Disallow: /"], "/a", true],
    ["with a group for all robots", ["User-agent: *", "Disallow: /a"], "/a/b", false],
    ["with a group for this robot", ["User-agent: *", "Disallow: /", "User-agent: troupe/2", "Allow: /"], "/a", true],
    ["with an empty group for this robot", ["User-agent: Troupe", "User-agent: *", "Disallow:"], "/a", true],
    ["with a group for two robots", ["User-agent: Other", "User-agent: Troupe", "Disallow: /"], "/a", false],
    ["with a robot of a longer name", ["User-agent: Troupers", "Disallow: /"], "/a", true],
    [
      "with two groups for one robot",
      ["User-agent: Troupe", "Disallow: /a", "User-agent: x", "Allow: /", "User-agent: Troupe", "Disallow: /b"],
      "/b",
      false,
    ],
    ["with a longer rule that allows", ["User-agent: *", "Disallow: /a", "Allow: /a/b"], "/a/b/c", true],
    ["with two rules of equal length", ["User-agent: *", "Allow: /a", "Disallow: /a"], "/a", true],
    ["with an empty rule", ["User-agent: *", "Disallow:"], "/a", true],
    ["with a comment", ["User-agent: * # all", "Disallow: /a # secret"], "/a", false],
    ["with another line between", ["User-agent: *", "Crawl-delay: 1", "User-agent: x", "Disallow: /"], "/a", false],
    ["with a wildcard", ["User-agent: *", "Disallow: /*.pdf"], "/a/b.pdf?x", false],
    ["with a wildcard and the end", ["User-agent: *", "Disallow: /*.pdf$"], "/a/b.pdf?x", true],
    ["with the end of two equal parts", ["User-agent: *", "Disallow: /*ab$"], "/abab", false],
    ["with an end that overlaps the beginning", ["User-agent: *", "Disallow: /aba*ba$"], "/aba", true],
    ["with the end alone", ["User-agent: *", "Disallow: /a$"], "/a/b", true],
    ["with a query", ["User-agent: *", "Disallow: /a?x=*y"], "/a?x=1y", false],
    ["with encoded letters", ["User-agent: *", "Disallow: /%61%2fb"], "/a%2Fb", false],
    ["with letters outside of ASCII", ["\ufeffUser-agent: *", "Disallow: /straße"], "/stra%c3%9fe", false],
  ])("%s", (_, lines, path, expected) => {
    expect(allows(lines, path)).toBe(expected);
  });

  const size = 500_000;
  const agents = "User-agent: a\n".repeat(size / 28);
  test.each([
    ["many robots with many rules", agents + "Allow: /\n".repeat(size / 18)],
    ["many names of this robot", agents.replaceAll(": a", ": Troupe") + "Allow: /\n".repeat(size / 18)],
    ["a rule of wildcards", `User-agent: *\nDisallow: /${"*".repeat(size)}x`],
    ["many rules that almost match", `User-agent: *\n${"Allow: /*a*a*a*a*b\n".repeat(size / 19)}`],
    ["a long rule that almost matches", `User-agent: *\nAllow: /${"*a".repeat(size / 2)}`],
  ])("%s take no more time than their length", (_, text) => {
    expect(isAllowedByRobots(text, `https://docs.example/${"a".repeat(1_900)}`, "Troupe")).toBe(true);
  });
});
