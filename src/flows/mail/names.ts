import { collapsed, cut } from '#core/values/text.ts';

/** Longer names push the rest of a subject out of sight. */
const longest = 60;

/**
 * The name of a company as a mail may say it. The person who registers chooses it, and mails reach people who know
 * neither them nor us: so it says nothing in our name, leads nowhere, and stays in quotes. No control or direction
 * signs, no address that a mail program would make a link of, no quotes of its own, no more than 60 characters.
 */
export function quietName(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[“”"<>()[\]{}\\|@/:]+/g, ' ')
    // “evil.example” is made a link of by itself; “evil. example” is not, and “A. Miller Ltd.” stays as it is.
    .replace(/\.(?=[^\s.])/g, '. ');
  const said = cut(collapsed(plain), longest, '…');
  return said === '' ? 'a company' : `“${said}”`;
}
