import { collapsed, truncate } from '#core/values/text.ts';

/** Longer names would hide the rest of a subject. */
const maxLength = 60;

/**
 * Returns a company name that is safe to use in a mail. The person who registers chooses the name, and mails reach
 * people who know neither them nor us. The result therefore contains no control or direction characters, no quotes,
 * nothing that a mail program turns into a link, and at most 60 characters, and it is always in quotes.
 */
export function plainName(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[“”"<>()[\]{}\\|@/:]+/g, ' ')
    // Mail programs turn “evil.example” into a link, but not “evil. example”. “A. Miller Ltd.” stays unchanged.
    .replace(/\.(?=[^\s.])/g, '. ');
  const shortened = truncate(collapsed(plain), maxLength, '…');
  return shortened === '' ? 'a company' : `“${shortened}”`;
}
