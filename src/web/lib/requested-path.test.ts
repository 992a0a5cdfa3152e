import { expect, test } from 'vitest';
import { isOwnPath } from './requested-path.ts';

test.each(['/my', '/logs?key=invoice%2F48213', '/'])('%s stays in the application', (path) => {
  expect(isOwnPath(path)).toBe(true);
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', ''])(
  '%s would leave it and is not followed',
  (path) => {
    expect(isOwnPath(path)).toBe(false);
  },
);
