import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents, type StreamEvent } from './event-stream.ts';

async function read(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly StreamEvent[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: StreamEvent[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);

test('reads events with their names and skips heartbeats and retry times', async () => {
  const text = ': alive\n\nevent: progress\nid: 7\ndata: {"done":1}\n\nretry: 2000\n\ndata: a\ndata: b\n\n';
  expect(await read([bytes(text)])).toEqual([
    { event: 'progress', data: '{"done":1}' },
    { event: 'message', data: 'a\nb' },
  ]);
});

test('drops an incomplete event', async () => {
  expect(await read([bytes('event: progress\ndata: {"do')])).toEqual([]);
});

test('reads events split at any byte', async () => {
  const text = 'event: progress\r\ndata: {"message":"Zoë – 1 000 €"}\r\n\r\nevent: finished\ndata: {}\n\n';
  const whole = bytes(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: whole.length - 1 }), { maxLength: 6 }), async (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((end, index) => whole.slice(places[index], end));
      expect(await read(chunks)).toEqual([
        { event: 'progress', data: '{"message":"Zoë – 1 000 €"}' },
        { event: 'finished', data: '{}' },
      ]);
    }),
    { seed: 20_250_303 },
  );
});
