import { expect, test } from 'vitest';
import { instant } from '#core/values/dates.ts';
import { connectionLostMail, digestMail, servicePausedMail, stallMail } from './alert-mails.ts';

// The person who registers chooses this name. It contains a link and pretends to be from us (a phishing attempt).
const recipient = {
  to: 'admin@northwind-msp.example',
  appUrl: 'https://app.tallybridge.example',
  client: 'Pay now at https://evil.example',
  timeZone: 'America/Chicago',
};
const mails = {
  'a lost connection': connectionLostMail(recipient, 'QuickBooks Online'),
  'a paused service': servicePausedMail(recipient, 'QuickBooks Online', {
    since: instant('2026-11-23T10:15:00.000Z'),
    nextTryAt: null,
  }),
  'a stalled sync': stallMail(recipient, instant('2026-11-23T10:15:00.000Z')),
  'a digest': digestMail(recipient, [
    {
      type: 'invoice',
      psaId: 48_213,
      number: '1001',
      message: 'An item is missing',
      codes: [],
      remedy: null,
      amount: null,
      currency: null,
    },
  ]),
};

test.each(Object.entries(mails))("the email about %s quotes the client's name without a link", (_, mail) => {
  for (const text of [mail.subject, mail.text, mail.html]) expect(text).not.toContain('evil.example');
  expect(mail.text.replaceAll('\n', ' ')).toContain('“Pay now at https evil. example”');
});

test("emails show times in the client's time zone", () => {
  for (const mail of [mails['a paused service'], mails['a stalled sync']])
    expect(mail.text.replaceAll('\n', ' ')).toContain('Since Nov 23, 2026, 4:15 AM CST ');
});
