import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Doc, docAt, listAt, textAt } from './doc.ts';
import { type Client, codesOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  northwind = await world.connect();
});
afterAll(() => world.close());

const upload = (metadata: Doc | undefined, content: Buffer, name = 'invoice.pdf') => {
  const part = (field: string, file: string, type: string, body: Buffer) =>
    Buffer.concat([
      Buffer.from(
        `--XX\r\nContent-Disposition: form-data; name="${field}"; filename="${file}"\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      body,
      Buffer.from('\r\n'),
    ]);
  const parts = [part('file_content_01', name, 'application/pdf', content), Buffer.from('--XX--\r\n')];
  if (metadata !== undefined)
    parts.unshift(
      part('file_metadata_01', 'attachment.json', 'application/json', Buffer.from(JSON.stringify(metadata))),
    );
  return northwind.send('POST', 'upload', Buffer.concat(parts), { 'Content-Type': 'multipart/form-data; boundary=XX' });
};
const target = (type: string, value: string): Doc => ({
  AttachableRef: [{ EntityRef: { type, value }, IncludeOnSend: true }],
  FileName: 'psa.pdf',
  ContentType: 'application/pdf',
});

test('an upload is linked to its document and can be downloaded unchanged for 15 minutes', async () => {
  const content = Buffer.from([0, 1, 2, 13, 10, 45, 45, 88, 255, 254]);
  const answer = await upload(target('invoice', '9141'), content);
  const attachable = docAt(listAt(answer.body, 'AttachableResponse')[0], 'Attachable');
  expect(attachable).toMatchObject({
    FileName: 'psa.pdf',
    ContentType: 'application/pdf',
    Size: 10,
    SyncToken: '0',
    AttachableRef: [{ EntityRef: { type: 'Invoice', value: '9141' }, IncludeOnSend: true }],
  });
  const id = textAt(attachable, 'Id') ?? '';
  expect(id).toMatch(/^\d{19}$/);
  const link = (await northwind.get(`download/${id}`)).text;
  const response = await fetch(link);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
  expect((await fetch(textAt(attachable, 'TempDownloadUri') ?? '')).status).toBe(200);
  await world.advance(901);
  expect((await fetch(link)).status).toBe(403);
});

test('an upload to a missing record returns a fault within a 200', async () => {
  const answer = await upload(target('Estimate', '75'), Buffer.from('x'));
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    AttachableResponse: [
      {
        Fault: {
          Error: [
            {
              Message: 'A business validation error has occurred while processing your request',
              Detail:
                'Business Validation Error: The entity Estimate 75 that you are trying to link does not exist. Estimate 75',
              code: '6000',
              element: '',
            },
          ],
          type: 'ValidationFault',
        },
      },
    ],
  });
});

test('rejects an invalid upload', async () => {
  expect(codesOf(await northwind.post('upload', {}))).toEqual(['6040']);
  expect((await upload(target('Nonsense', '1'), Buffer.from('x'))).text).toContain('"code":"6050"');
});

test('a file without metadata is unlinked, a note needs no file, and deleting needs only the ID', async () => {
  const answer = await upload(undefined, Buffer.from('x'));
  const attachable = docAt(listAt(answer.body, 'AttachableResponse')[0], 'Attachable');
  expect(attachable).toMatchObject({ FileName: 'invoice.pdf' });
  expect(await northwind.write('Attachable', { Note: 'Call them' })).toMatchObject({ Note: 'Call them' });
  expect(await northwind.refusal('Attachable', { Category: 'Document' })).toMatch(/^2020: /);
  const deletion = await northwind.post('attachable?operation=delete', { Id: attachable['Id'] });
  expect(deletion.body).toMatchObject({ Attachable: { status: 'Deleted', Id: attachable['Id'] } });
});

test('attaches files marked IncludeOnSend to the sent document', async () => {
  await upload(target('Invoice', '9141'), Buffer.from('x'));
  await northwind.send('POST', 'invoice/9141/send?sendTo=a@b.example', '');
  expect((await world.control('GET', 'mails')).body).toMatchObject({
    items: [{ attachments: ['Invoice.pdf', 'psa.pdf'] }],
  });
});

test('finds attachments by their linked record', async () => {
  await upload(target('Invoice', '9141'), Buffer.from('x'));
  expect(
    await northwind.column(
      "select * from Attachable where AttachableRef.EntityRef.Type = 'Invoice' and AttachableRef.EntityRef.value = '9141'",
      'FileName',
    ),
  ).toEqual(['psa.pdf']);
});
