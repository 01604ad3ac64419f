/** Files of GitHub repositories. */
import type { ContentSource, SourceFile } from "../../define/knowledge.ts";
import { SourceFault } from "../../define/knowledge.ts";
import { checkedSource, type SourceOptions } from "./checked-source.ts";
import { contentOf, encodeKey, listingOf, parseJson, request } from "./requests.ts";

/** Options of a repository. */
export interface GithubSourceOptions extends SourceOptions {
  /** `owner/name`. */
  readonly repository: string;
  /** A branch, a tag or a commit. Default: the repository's default branch. */
  readonly ref?: string;
  /** A token, or a function that returns the current one. Default: none, for public repositories. */
  readonly token?: string | (() => Promise<string> | string);
  /** Address of the REST API of GitHub Enterprise Server, such as `https://github.example/api/v3`. */
  readonly apiUrl?: string;
}

interface Tree {
  readonly tree: readonly { readonly path: string; readonly type: string; readonly size?: number }[];
  readonly truncated: boolean;
}

/**
 * Makes a source of the files of a repository.
 * @throws ConfigurationError
 */
export function githubSource(options: GithubSourceOptions): ContentSource {
  const { id, repository, ref = "HEAD", token, apiUrl = "https://api.github.com" } = options;
  const store = `The source "${id}"`;
  const root = `${apiUrl.replace(/\/+$/, "")}/repos/${repository}`;

  const send = async (path: string, accept: string, signal: AbortSignal): Promise<Response> => {
    const current = typeof token === "function" ? await token() : token;
    const headers = { accept, "user-agent": "Troupe", "x-github-api-version": "2022-11-28" };
    const authorization = current === undefined ? {} : { authorization: `Bearer ${current}` };
    return await request(store, `${root}/${path}`, { ...headers, ...authorization }, signal);
  };

  return checkedSource(
    "github",
    options,
    { repository, ref },
    { repository },
    {
      /** The store lists a folder with everything below it in one answer. */
      async list({ prefix, delimiter }, signal) {
        const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
        const tree = encodeURIComponent(folder === "" ? ref : `${ref}:${folder.slice(0, -1)}`);
        const deep = delimiter === "/" && folder === prefix ? "" : "?recursive=1";
        const response = await send(`git/trees/${tree}${deep}`, "application/vnd.github+json", signal);
        const answer = parseJson(store, await listingOf(store, response)) as Tree;
        if (answer.truncated) throw new SourceFault(`${store} has too many files: list a folder of it.`, true);
        const folders = new Set<string>();
        const files: SourceFile[] = [];
        for (const { path, type, size } of answer.tree) {
          const key = folder + path;
          if (!key.startsWith(prefix)) continue;
          const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
          if (end >= 0) folders.add(key.slice(0, end + delimiter.length));
          else if (type === "tree" && delimiter === "/") folders.add(`${key}/`);
          else if (type === "blob") files.push({ key, size: size ?? null, modifiedAt: null, mediaType: null });
        }
        return { files, folders: [...folders], next: undefined };
      },
      async read(key, maxBytes, signal) {
        const path = `contents/${encodeKey(key)}?ref=${encodeURIComponent(ref)}`;
        const response = await send(path, "application/vnd.github.raw+json", signal);
        // The declared type is that of the answer's form.
        return { ...(await contentOf(store, response, maxBytes)), mediaType: null };
      },
    },
  );
}
