import { expect, test } from 'vitest';
import { changesFor } from './pages.ts';

const changelog = `# Changelog

Changes for administrators, and what to do.

## Unreleased

- *Setup* is shorter.
- Operators: set \`PORT\`.
- Operators: backups are verified.

## 1.0.0

- The first version.
`;

test('administrators do not read the entries for operators', () => {
  expect(changesFor('administrators', changelog)).toBe(`# What’s new

Changes for administrators, and what to do.

## Unreleased

- *Setup* is shorter.

## 1.0.0

- The first version.
`);
});

test('operators read their entries only', () => {
  expect(changesFor('operators', changelog)).toBe(`# What’s new for operators

Changes for operators, and what to do.

## Unreleased

- Set \`PORT\`.
- Backups are verified.

## 1.0.0

`);
});
