/** A browser as far as a flow needs one: it keeps cookies by host, submits forms, and stops at redirects. */

/** A page, or a redirect. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The address that it redirects to. */
  readonly location: string | undefined;
}

export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #addresses: Readonly<Record<string, string>>;

  /** @param addresses where the servers of public origins really listen */
  constructor(addresses: Readonly<Record<string, string>> = {}) {
    this.#addresses = addresses;
  }

  async open(url: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const { origin, host } = new URL(url);
    const cookies = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, cookies);
    const response = await fetch(url.replace(origin, this.#addresses[origin] ?? origin), {
      redirect: "manual",
      method: form ? "POST" : "GET",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    const target = response.headers.get("location");
    const location = target === null ? undefined : new URL(target, url).href;
    return { url, status: response.status, headers: response.headers, text: await response.text(), location };
  }

  /** Submits the form of a page, with more values. */
  submit(page: Page, values: Readonly<Record<string, string>> = {}): Promise<Page> {
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, unescaped(value)]));
    const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1];
    return this.open(action === undefined ? page.url : new URL(unescaped(action), page.url).href, {
      ...fields,
      ...values,
    });
  }

  /** Confirms the page of this server; returns the address of the provider's page. */
  async begin(link: string): Promise<string> {
    const page = await this.open(link);
    const { location } = await this.submit(page);
    if (location === undefined) throw new Error(`The flow did not begin: ${page.status} ${page.text}`);
    return location;
  }

  /** Signs in at the provider and consents; returns the address of the callback. */
  async signIn(address: string, login: string): Promise<string> {
    const { origin } = new URL(address);
    for (let page = await this.open(address); ; ) {
      const { location } = page;
      if (location !== undefined && new URL(location).origin !== origin) return location;
      if (location !== undefined) page = await this.open(location);
      else page = await this.submit(page, page.text.includes('name="login"') ? { login, password: "any" } : {});
    }
  }

  /** The whole flow; returns the last page. */
  async connect(link: string, login: string): Promise<Page> {
    return await this.open(await this.signIn(await this.begin(link), login));
  }
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replace(/&amp;/g, "&");
}
