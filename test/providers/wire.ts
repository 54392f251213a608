/** The three protocols as they are on the wire, written by hand where a mock server would repair what is broken. */

function sse(events: readonly unknown[]): string {
  return events
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join("");
}

function typedSse(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export interface WireCall {
  readonly id: string | null;
  readonly name: string;
  /** The pieces in which the arguments arrive. */
  readonly args: readonly string[];
}

export interface WireAnswer {
  readonly text?: readonly string[];
  readonly calls?: readonly WireCall[];
  /** The protocol's own word. Left out: the stream ends without one. */
  readonly finish?: string;
}

/** OpenAI's chat completions. */
export const chat = {
  name: "chat",
  error: (error: unknown): string => sse([{ error }]),
  answer({ text = [], calls = [], finish }: WireAnswer): string {
    const chunk = (delta: object, finishReason: string | null = null): object => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "wire-1",
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
    const events: unknown[] = text.map((content) => chunk({ role: "assistant", content }));
    for (const [index, { id, name, args }] of calls.entries()) {
      events.push(
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      );
      for (const piece of args)
        events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
    if (finish !== undefined) {
      events.push(chunk({}, finish), {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "wire-1",
        choices: [],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      });
      events.push("[DONE]");
    }
    return sse(events);
  },
};

/** Anthropic's messages. */
export const messages = {
  name: "messages",
  error: (error: unknown): string => typedSse([{ type: "error", error } as { type: string }]),
  answer({ text = [], calls = [], finish }: WireAnswer): string {
    const events: { type: string; [key: string]: unknown }[] = [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          content: [],
          model: "wire-1",
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 11, output_tokens: 1 },
        },
      },
    ];
    let index = 0;
    if (text.length > 0) {
      events.push({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
      for (const piece of text) {
        events.push({ type: "content_block_delta", index, delta: { type: "text_delta", text: piece } });
      }
      events.push({ type: "content_block_stop", index });
      index += 1;
    }
    for (const { id, name, args } of calls) {
      events.push({
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id, name, input: {} },
      });
      for (const piece of args) {
        const delta = { type: "input_json_delta", partial_json: piece };
        events.push({ type: "content_block_delta", index, delta });
      }
      events.push({ type: "content_block_stop", index });
      index += 1;
    }
    if (finish !== undefined) {
      events.push(
        {
          type: "message_delta",
          delta: { stop_reason: finish, stop_sequence: null },
          usage: { output_tokens: 7 },
        },
        { type: "message_stop" },
      );
    }
    return typedSse(events);
  },
};

/** OpenAI's Responses. `finish` is `completed`, or the reason of an incomplete response. */
export const responses = {
  name: "responses",
  error: (error: object): string =>
    typedSse([{ type: "error", sequence_number: 9, error } as { type: string }]),
  answer({ text = [], calls = [], finish }: WireAnswer): string {
    const response = { id: "resp_1", object: "response", created_at: 1, model: "wire-1", service_tier: null };
    const events: { type: string; [key: string]: unknown }[] = [{ type: "response.created", response }];
    let index = 0;
    if (text.length > 0) {
      const item = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
      events.push({ type: "response.output_item.added", output_index: index, item });
      for (const delta of text) {
        events.push({ type: "response.output_text.delta", item_id: "msg_1", output_index: index, delta });
      }
      events.push({ type: "response.output_item.done", output_index: index, item });
      index += 1;
    }
    for (const { id, name, args } of calls) {
      const item = { type: "function_call", id: `fc_${index}`, call_id: id, name, arguments: "" };
      events.push({ type: "response.output_item.added", output_index: index, item });
      for (const delta of args) {
        events.push({
          type: "response.function_call_arguments.delta",
          item_id: `fc_${index}`,
          output_index: index,
          delta,
        });
      }
      const done = { ...item, arguments: args.join(""), status: "completed" };
      events.push({ type: "response.output_item.done", output_index: index, item: done });
      index += 1;
    }
    if (finish !== undefined) {
      const usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 };
      const incomplete_details = finish === "completed" ? null : { reason: finish };
      const type = finish === "completed" ? "response.completed" : "response.incomplete";
      events.push({ type, response: { ...response, usage, incomplete_details } });
    }
    return typedSse(events);
  },
};
