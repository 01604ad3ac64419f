/** Removes anything that looks like a credential from texts of providers and tools before clients see them. */

const hidden = "[hidden]";

/** Maximum length of text that is searched, and maximum length that is returned. */
const maxRead = 4_000;
const maxShown = 2_000;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/\b(?:sk|pk|rk|gsk|hf|xai|ghp|gho|glpat|pplx|r8|nvapi)[-_][\w*.-]{4,}/g, hidden],
  [/\b(?:AIza[\w-]{10,}|AKIA[A-Z0-9]{12,}|ya29\.[\w-]{10,})/g, hidden],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, hidden],
  [/\b(api key provided:?\s+)\S+/gi, `$1${hidden}`],
  [
    /\b((?:x-)?api[-_ ]?key|authorization|password|secret|access[-_ ]?token)(["']?\s*[:=]\s*["']?)[^\s"',;&[]{4,}/gi,
    `$1$2${hidden}`,
  ],
  [/:\/\/[^\s/@]+:[^\s/@]+@/g, `://${hidden}@`],
  [/([?&](?:key|api_key|token|access_token|signature|sig)=)[^&\s"']+/gi, `$1${hidden}`],
  [/\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}\b/g, hidden],
];

/** Returns the text without anything that looks like a key, a token or a password, cut to the maximum length. */
export function withoutSecrets(text: string): string {
  let shown = text.slice(0, maxRead);
  for (const [pattern, replacement] of patterns) shown = shown.replace(pattern, replacement);
  return shown.length > maxShown ? `${shown.slice(0, maxShown).toWellFormed()}…` : shown;
}
