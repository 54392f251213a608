import { expect, test } from "vitest";
import type { FeatureModel } from "../../../src/harness/index.ts";
import { Desk, modelOf, said } from "./support.ts";

const now = "2026-11-30T12:00:00.000Z";
const deskWith = (model: FeatureModel | null): Promise<Desk> =>
  Desk.make({ model: () => Promise.resolve(model) });
const answer = (features: readonly unknown[], more = {}): FeatureModel =>
  said(JSON.stringify({ features, ...more }));

test("one request, with its bounds, gives a document that is saved nowhere", async () => {
  const requests: object[] = [];
  const model = said(
    JSON.stringify({
      project_name: "Shop",
      features: [{ id: "cart", priority: "high", status: "completed" }],
    }),
  );
  const desk = await deskWith({
    ...model,
    complete: (request) => (requests.push(request), model.complete(request)),
  });
  const generated = await desk.features.generate("  A shop\n");
  expect(generated).toEqual({
    document: {
      projectName: "Shop",
      originalPrompt: "  A shop\n",
      features: [
        {
          id: "cart",
          description: "",
          status: "pending",
          dependencies: [],
          priority: "high",
          acceptanceCriteria: [],
          notes: "",
          createdAt: now,
          updatedAt: null,
        },
      ],
      createdAt: now,
      version: "1.0",
    },
    dropped: 0,
    renamed: [],
  });
  expect(requests).toEqual([
    expect.objectContaining({
      prompt: "  A shop\n",
      temperature: 0.3,
      maxOutputTokens: 4_000,
      timeoutMs: 120_000,
    }),
  ]);
  expect(desk.litter).toEqual([]);
  const [requested, told] = await desk.facts();
  expect(requested).toMatchObject({
    type: "features.generation_requested",
    data: { cwd: desk.cwd, model: "m/m", prompt: "  A shop\n", maxFeatures: 50 },
  });
  expect(told).toMatchObject({
    type: "features.generated",
    causation: 1,
    data: { document: generated.document },
  });
  await desk.features.save(desk.cwd, generated.document);
  expect(await desk.features.load(desk.cwd)).toEqual(generated.document);
});

test.each([
  [
    "a fence tagged json before an earlier one without",
    '```\nno\n```\nHere:\n```json\n{"features": []}\n```\n',
  ],
  ["the first fence without a tag", 'Sure:\n```ts\nx\n```\n```\n{"features": []}\n```\n```\nno\n```'],
  ["all of it", '\n {"features": []} '],
  ["a fence that was not closed", '```json\n{"features": []}'],
  ["a fence with Windows line ends", '```JSON\r\n{"features": []}\r\n```\r\n'],
])("the answer is %s", async (_name, text) => {
  const desk = await deskWith(said(text));
  expect((await desk.features.generate("x")).document.features).toEqual([]);
});

test("ids that are missing or repeated are made anew past those that are taken, and what is wrong gets its default", async () => {
  const desk = await deskWith(
    answer(
      [
        { description: 5, priority: "urgent", dependencies: "a", acceptance_criteria: ["ok", 1] },
        { id: "feature-1" },
        { id: "a" },
        { id: "a", notes: "again" },
        { id: 7, dependencies: [7, "a"] },
        { id: " " },
      ],
      { project_name: " " },
    ),
  );
  const { document, renamed } = await desk.features.generate("x");
  expect(document.features.map(({ id }) => id)).toEqual([
    "feature-2",
    "feature-1",
    "a",
    "feature-3",
    "7",
    "feature-4",
  ]);
  expect(renamed).toEqual([{ from: "a", to: "feature-3" }]);
  expect(document.projectName).toBe("Untitled Project");
  expect(document.features[0]).toMatchObject({
    description: "",
    priority: "medium",
    dependencies: [],
    acceptanceCriteria: ["ok", "1"],
  });
  expect(document.features[4]?.dependencies).toEqual(["7", "a"]);
});

test("features beyond the limit are cut and counted", async () => {
  const desk = await deskWith(answer([{ id: "a" }, { id: "b" }, { id: "c" }]));
  expect(await desk.features.generate("x", { maxFeatures: 2 })).toMatchObject({
    document: { features: [{ id: "a" }, { id: "b" }] },
    dropped: 1,
  });
});

test.each([
  ["empty_prompt", " \n", {}],
  ["invalid_prompt", 5, {}],
  ["invalid_options", "x", { maxFeatures: 0 }],
  ["invalid_options", "x", { maxFeatures: 201 }],
  ["invalid_options", "x", { maxFeatures: 1.5 }],
  ["aborted", "x", { signal: AbortSignal.abort() }],
])("%s asks nothing and records nothing", async (reason, prompt, options) => {
  const desk = await deskWith({ ref: "m/m", complete: () => Promise.reject(new Error("asked")) });
  await expect(desk.features.generate(prompt as string, options)).rejects.toMatchObject({ reason });
  expect(await desk.types()).toEqual([]);
});

test("no model", async () => {
  const desk = await deskWith(null);
  await expect(desk.features.generate("x")).rejects.toMatchObject({ reason: "no_model_available" });
});

test.each([
  ["truncated_response", said('{"features": []}', "length"), null],
  ["json_decode", said("Sorry."), null],
  ["json_decode", said(""), null],
  ["invalid_requirements", said("[]"), null],
  ["invalid_requirements", said('{"features": {}}'), null],
  ["invalid_requirements", said('{"features": ["a"]}'), null],
  ["generation_failed", said('{"features": []}', "content_filter"), "content_filter"],
  ["generation_failed", modelOf({ ok: false, failure: "rate_limited" }), "rate_limited"],
  ["timeout", modelOf({ ok: false, failure: "timeout" }), "timeout"],
  ["aborted", modelOf({ ok: false, failure: "aborted" }), "aborted"],
])("%s is recorded", async (reason, model, failure) => {
  const desk = await deskWith(model);
  await expect(desk.features.generate("x")).rejects.toMatchObject({ reason });
  expect((await desk.facts())[1]).toMatchObject({
    type: "features.generation_failed",
    causation: 1,
    data: { reason },
  });
  if (failure !== null) expect((await desk.facts())[1]?.data).toMatchObject({ failure });
});
