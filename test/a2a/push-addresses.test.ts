import { describe, expect, test } from "vitest";
import { AddressRejected, isPublic, pin, readTargetUrl } from "../../src/runs/outbound/addresses.ts";

const strict = { allowHttp: false, allowPrivate: false };

describe("URLs of push notification configs", () => {
  test.each([
    ...["http://client.example/hook", "ftp://client.example/", "file:///etc/passwd", "hook", "", "https://"],
    ...["https://user@client.example/", "https://:secret@client.example/"],
    ...[
      "https://127.0.0.1/",
      "https://2130706433/",
      "https://0x7f.1/",
      "https://127.1/",
      "https://0/",
      "https://[::1]/",
    ],
    ...[
      "https://[::ffff:127.0.0.1]/",
      "https://[::ffff:a9fe:a9fe]/",
      "https://[64:ff9b::7f00:1]/",
      "https://[2002:7f00:1::]/",
    ],
    ...[
      "https://10.0.0.1/",
      "https://172.31.255.255/",
      "https://192.168.1.1/",
      "https://169.254.169.254/latest/meta-data/",
    ],
    ...[
      "https://100.100.100.200/",
      "https://[fd00:ec2::254]/",
      "https://[fe80::1]/",
      "https://[fc00::1]/",
      "https://[ff02::1]/",
    ],
    ...[
      "https://localhost/",
      "https://localhost./",
      "https://a.localhost/",
      "https://printer.local/",
      "https://LOCALHOST/",
    ],
    ...[
      "https://metadata.google.internal/",
      "https://router.home.arpa/",
      "https://224.0.0.1/",
      "https://255.255.255.255/",
    ],
    ...["https://168.63.129.16/machine", "https://client.example:25/", "https://client.example:6667/"],
    ...["https://[64:ff9b:1::a00:1]/", "https://[2001::7f00:1]/", "https://[::7f00:1]/", "https://client.example:0/"],
    `https://client.example/${"a".repeat(2_048)}`,
  ])("%s is rejected without a DNS lookup", (url) => {
    expect(() => readTargetUrl(url, strict)).toThrow(AddressRejected);
  });

  test.each([
    "https://client.example/hook?a=b",
    "https://client.example:8443/",
    "https://93.184.216.34/",
    "https://[2606:4700::1111]/",
  ])("%s is accepted", (url) => {
    expect(readTargetUrl(url, strict).href).toBe(url);
  });

  test("allowHttp allows plain HTTP, and allowPrivate allows private addresses", () => {
    expect(readTargetUrl("http://client.example/", { ...strict, allowHttp: true }).href).toBe("http://client.example/");
    expect(() => readTargetUrl("http://127.0.0.1/", { ...strict, allowHttp: true })).toThrow(AddressRejected);
    expect(readTargetUrl("https://localhost/", { ...strict, allowPrivate: true }).href).toBe("https://localhost/");
    expect(() => readTargetUrl("http://localhost/", { ...strict, allowPrivate: true })).toThrow(AddressRejected);
    expect(() => readTargetUrl("ftp://client.example/", { allowHttp: true, allowPrivate: true })).toThrow(
      AddressRejected,
    );
  });

  test("pin looks a host name up once and returns the addresses found", async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return [{ address: "93.184.216.34", family: 4 }];
    };
    const pinned = await pin("https://client.example:8443/hook", strict, resolve);
    expect(asked).toEqual(["client.example"]);
    expect(pinned).toMatchObject({ host: "client.example", addresses: [{ address: "93.184.216.34", family: 4 }] });
  });

  test.each([
    [[{ address: "127.0.0.1", family: 4 }]],
    [[{ address: "169.254.169.254", family: 4 }]],
    [[{ address: "::ffff:10.0.0.1", family: 6 }]],
    [
      [
        { address: "93.184.216.34", family: 4 },
        { address: "10.0.0.1", family: 4 },
      ],
    ],
    [[]],
  ])("a host name that resolves to %j is rejected", async (addresses) => {
    await expect(pin("https://client.example/", strict, async () => addresses)).rejects.toThrow(AddressRejected);
  });

  test("isPublic returns false for text that is not an IP address", () => {
    expect([isPublic("client.example"), isPublic(""), isPublic("8.8.8.8")]).toEqual([false, false, true]);
  });
});
