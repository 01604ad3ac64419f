/**
 * Finds personal data in text, in time linear in its length: each candidate is examined within a bounded distance. No finding contains a line
 * break, or the end of a sentence with its white space, so a text can be cut there and its parts can be searched one by one.
 */
import { isIPv6 } from "node:net";

/** The kinds of personal data that `piiRedaction` finds. */
export const piiKinds = ["email", "phone", "creditCard", "iban", "ssn", "ipAddress"] as const;

export type PiiKind = (typeof piiKinds)[number];

/** Personal data in a text: from `start` up to, but not including, `end`. */
export interface Finding {
  readonly kind: PiiKind;
  readonly start: number;
  readonly end: number;
}

const placeholders: Readonly<Record<PiiKind, string>> = {
  ...{ email: "[EMAIL]", phone: "[PHONE]", creditCard: "[CREDIT_CARD]" },
  ...{ iban: "[IBAN]", ssn: "[SSN]", ipAddress: "[IP_ADDRESS]" },
};

const finders: Readonly<Record<PiiKind, (text: string) => Finding[]>> = {
  email: emails,
  phone: phones,
  creditCard: creditCards,
  iban: ibans,
  ssn: (text) => matches("ssn", text, /(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g),
  ipAddress: ipAddresses,
};

/** Returns the findings in their order, without overlaps. */
export function findPii(text: string, kinds: readonly PiiKind[]): readonly Finding[] {
  const all = kinds.flatMap((kind) => finders[kind](text));
  all.sort((one, other) => one.start - other.start || other.end - one.end);
  let end = 0;
  return all.filter((finding) => {
    if (finding.start < end) return false;
    end = finding.end;
    return true;
  });
}

/** Returns the text with a placeholder in place of each finding: `[EMAIL]`, `[PHONE]`, `[CREDIT_CARD]`, `[IBAN]`, `[SSN]`, `[IP_ADDRESS]`. */
export function maskFindings(text: string, findings: readonly Finding[]): string {
  let masked = "";
  let from = 0;
  for (const { kind, start, end } of findings) {
    masked += text.slice(from, start) + placeholders[kind];
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

function matches(
  kind: PiiKind,
  text: string,
  pattern: RegExp,
  isOne: (found: string) => boolean = () => true,
): Finding[] {
  const found: Finding[] = [];
  for (const { 0: match, index } of text.matchAll(pattern))
    if (isOne(match)) found.push({ kind, start: index, end: index + match.length });
  return found;
}

const maxLocal = 64;
const maxDomain = 255;
const maxTopDomain = 63;

/** Starts at each `@`: both sides end at the next one, so each character is read at most twice. */
function emails(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && at - start < maxLocal && isInLocalPart(text.charCodeAt(start - 1))) start--;
    if (start === at) continue;
    let end = at + 1;
    let dot = 0;
    while (end < text.length && end - at < maxDomain && isInDomain(text.charCodeAt(end))) {
      if (text.charCodeAt(end) === codes.dot && end + 1 < text.length && isLetter(text.charCodeAt(end + 1))) dot = end;
      end++;
    }
    while (end > at + 1 && !isLetter(text.charCodeAt(end - 1)) && !isDigit(text.charCodeAt(end - 1))) end--;
    if (dot > at + 1 && isTopDomain(text.slice(dot + 1, end))) found.push({ kind: "email", start, end });
  }
  return found;
}

const codes = { space: 32, percent: 37, apostrophe: 39, plus: 43, hyphen: 45, dot: 46, underscore: 95 } as const;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters of Latin alphabets. */
function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 0xc0 && code <= 0x24f);
}

function isWord(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === codes.underscore;
}

function isInDomain(code: number): boolean {
  return isWord(code) || code === codes.dot || code === codes.hyphen;
}

function isInLocalPart(code: number): boolean {
  return isInDomain(code) || code === codes.plus || code === codes.percent || code === codes.apostrophe;
}

function isTopDomain(text: string): boolean {
  return text.length <= maxTopDomain && /^(?:[a-z\u00c0-\u024f]{2,}|xn--[\w-]+)$/i.test(text);
}

/** Numbers with a `+`; numbers of the North American plan with a separator; national numbers with a leading 0 and a separator. */
function phones(text: string): Finding[] {
  return [
    ...matches("phone", text, /(?<![\w+])\+(?:(?:[ .\-/]|\) ?| ?\()?\d){7,15}(?!\d)/g),
    ...matches(
      "phone",
      text,
      /(?<![\w.+-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]?\d{4}(?![\w-]|\.\d)/g,
    ),
    ...matches(
      "phone",
      text,
      /(?<![\w.,:+/-])\(?0[1-9]\d{0,4}(?:\) ?| ?\/ ?|[ -])\d{2,9}(?:[ -]\d{2,6}){0,3}(?![\w,:]|[.-]\d)/g,
      (found) => {
        const digits = digitsOf(found).length;
        return digits >= 8 && digits <= 13;
      },
    ),
  ];
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

const minCardDigits = 13;
const maxCardDigits = 19;

/** A card is one group of digits, or groups of 3 to 6 digits with a last one of 1 to 6. */
function creditCards(text: string): Finding[] {
  const found: Finding[] = [];
  const starts = /(?<!\w)[2-6]\d\d/g;
  while (starts.test(text)) {
    const start = starts.lastIndex - 3;
    const end = endOfCard(text, start);
    if (end === undefined) continue;
    found.push({ kind: "creditCard", start, end });
    starts.lastIndex = end;
  }
  return found;
}

/** The digits of the card that is read. */
const cardDigits = new Uint8Array(maxCardDigits);

/** Returns the end of the card that starts here. Reads at most the length of a card. */
function endOfCard(text: string, start: number): number | undefined {
  let count = 0;
  let group = 0;
  let isGrouped = false;
  for (let place = start; ; place++) {
    const code = text.charCodeAt(place);
    if (isDigit(code)) {
      if (count === maxCardDigits || (isGrouped && group === 6)) return undefined;
      cardDigits[count++] = code - 48;
      group++;
      continue;
    }
    if (count >= minCardDigits && !isWord(code) && hasLuhnChecksum(count)) return place;
    const isSeparator = code === codes.space || code === codes.hyphen;
    if (!isSeparator || group < 3 || group > 6 || !isDigit(text.charCodeAt(place + 1))) return undefined;
    isGrouped = true;
    group = 0;
  }
}

/** Checks the first digits of `cardDigits`. */
function hasLuhnChecksum(count: number): boolean {
  let sum = 0;
  for (let place = count - 1, isDoubled = false; place >= 0; place--, isDoubled = !isDoubled) {
    const digit = cardDigits[place] as number;
    sum += !isDoubled ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** Lengths of IBANs by country, from the IBAN registry. */
const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "NO15 BE16 DK18 FI18 FO18 FK18 GL18 NL18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 MN20 XK20 CH21 HR21 LI21 LV21 BG22 BH22 CR22 DE22 GB22 GE22 IE22 " +
    "ME22 RS22 VA22 AE23 GI23 IL23 IQ23 OM23 SO23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27 DJ27 FR27 " +
    "GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HU28 LB28 NI28 PL28 SV28 SD18 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

function ibans(text: string): Finding[] {
  const found: Finding[] = [];
  const starts = /(?<!\w)[a-z]{2}\d{2}(?=[ -]?[a-z0-9])/gi;
  while (starts.test(text)) {
    const start = starts.lastIndex - 4;
    const length = ibanLengths[text.slice(start, start + 2).toUpperCase()];
    const end = length && endOfIban(text, start, length);
    if (!end || !hasIbanChecksum(text.slice(start, end).replace(/[ -]/g, ""))) continue;
    found.push({ kind: "iban", start, end });
    starts.lastIndex = end;
  }
  return found;
}

/** Returns the end of the text with this number of letters and digits, if only single separators are between them. */
function endOfIban(text: string, start: number, length: number): number | undefined {
  let characters = 0;
  let end = start;
  for (; characters < length; end++) {
    const code = text.charCodeAt(end);
    const isSeparator = code === codes.space || code === codes.hyphen;
    if (isWord(code)) characters++;
    else if (!isSeparator || !isWord(text.charCodeAt(end + 1))) return undefined;
  }
  return isWord(text.charCodeAt(end)) ? undefined : end;
}

/** ISO 7064, mod 97-10. */
function hasIbanChecksum(iban: string): boolean {
  let rest = 0;
  for (const character of (iban.slice(4) + iban.slice(0, 4)).toUpperCase()) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

function ipAddresses(text: string): Finding[] {
  const isV4 = (found: string): boolean => found.split(".").every((part) => Number(part) <= 255);
  return [
    ...matches("ipAddress", text, /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\w)/g, isV4),
    ...matches(
      "ipAddress",
      text,
      /(?<![\w:])(?:[0-9a-f]{1,4}|:):(?:[0-9a-f]{0,4}:){0,6}[0-9a-f]{1,4}(?![\w:])/gi,
      (found) => found.split(":").length > 3 && isIPv6(found),
    ),
  ];
}
