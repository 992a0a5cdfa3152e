import { expect, test } from 'vitest';
import { maskedAddress } from './chat.ts';

test.each([
  ['https://erp.example/hooks/tallybridge', 'erp.example/…idge'],
  ['https://erp.example/hooks/key1', 'erp.example/…'],
  ['https://erp.example/?key=secret', 'erp.example/…'],
  ['https://erp.example', 'erp.example'],
])('people see of %s only %s', (address, shown) => {
  expect(maskedAddress(new URL(address))).toBe(shown);
});
