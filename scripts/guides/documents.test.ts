import { expect, test } from 'vitest';
import { assertSays, blockOf, GuideError, sectionOf } from './documents.ts';
import { assertSteps } from './first-client.ts';

const install = 'docs/operate/install.md';

test('the guide of the first client has exactly the steps that are tried', () => {
  expect(assertSteps).not.toThrow();
});

test('the commands of a block are read from the document', () => {
  expect(blockOf(sectionOf(install, 'With systemd'))).toContain(
    'systemctl enable --now tallybridge tallybridge-worker',
  );
});

test('a missing section, block or sentence is reported with its document', () => {
  const section = sectionOf(install, 'With systemd');
  expect(() => sectionOf(install, 'With luck')).toThrow(
    new GuideError(`${install} has no section “With luck” any more.`),
  );
  expect(() => blockOf(section, 9)).toThrow(new GuideError(`${install}, “With systemd”: code block 9 is missing.`));
  expect(() => assertSays(section, 'by hand')).toThrow(
    new GuideError(`${install}, “With systemd” does not say “by hand” any more.`),
  );
});
