/** One server-sent event. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events from a body as they arrive; ends when the body ends. Comments (the server's heartbeat) and
 * fields that are not used here are passed over.
 *
 * @throws whatever reading the body throws, e.g. when the connection is cut.
 */
export async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pending += value;
      const blocks = pending.split(/\r\n\r\n|\n\n|\r\r/);
      pending = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = readEvent(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** One block of lines as an event; null when it carries no data. */
export function readEvent(block: string): StreamEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}
