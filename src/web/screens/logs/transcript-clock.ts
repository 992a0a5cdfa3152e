const linePattern = /^(\d\d:\d\d:\d\d)(?= )/gm;
const dayMs = 86_400_000;

/**
 * Converts the UTC times at the start of transcript lines to a time zone.
 *
 * @param at ISO 8601 time of the last line; lines with a later time are from the previous day
 * @param timeZone IANA name
 */
export function inTimeZone(transcript: string, at: string, timeZone: string): string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  const endMs = Date.parse(at);
  const day = at.slice(0, 10);
  return transcript.replace(linePattern, (time) => {
    const ms = Date.parse(`${day}T${time}Z`);
    return clock.format(ms > endMs + 1_000 ? ms - dayMs : ms);
  });
}
