/** The longest address that mail servers accept (RFC 5321). */
export const longestEmail = 254;

/**
 * One address and nothing around it: no list, no name before it, no line break. Whether anybody reads it, only a mail can
 * tell.
 */
export const emailShape = /^[^\s@,;:<>()[\]"\\\p{C}]+@[^\s@,;:<>()[\]"\\\p{C}]+$/u;

/** True for text that may be written to as one email address. */
export const isEmail = (text: string): boolean => text.length <= longestEmail && emailShape.test(text);
