// Web search by a server that answers in JSON, such as a SearXNG of your own.
import { defineExtension } from "lemon-runtime";

interface Answer {
  readonly results: readonly { readonly title: string; readonly url: string; readonly content?: string }[];
}

export default defineExtension({
  name: "web-search",
  version: "1.0.0",
  capabilities: ["search_provider"],
  configSchema: {
    type: "object",
    properties: { server: { type: "string", default: "http://127.0.0.1:8888" } },
    additionalProperties: false,
  },
  providers: ({ config }) => [
    {
      type: "search",
      name: "searx",
      config: { priority: 10 }, // asked before others; equal ones go by name
      provider: {
        search: async (query, { limit, signal }) => {
          const address = new URL("/search", String(config["server"]));
          address.search = new URLSearchParams({ q: query, format: "json" }).toString();
          // Always hand the signal on: it fires when the time is up.
          const response = await fetch(address, { signal });
          // A throw lets the next provider try. The address stays out of the message: it holds the query.
          if (!response.ok) throw new Error(`the server answered ${response.status}`);
          const { results } = (await response.json()) as Answer;
          return results
            .slice(0, limit)
            .map(({ title, url, content = "" }) => ({ title, url, snippet: content }));
        },
      },
    },
  ],
});
