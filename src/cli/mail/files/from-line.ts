const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The line before a message in an mbox, without its end (RFC 4155): the sender, which is not known here, and the time as of asctime. */
export function fromLine(receivedAt: Date): string {
  const day = String(receivedAt.getUTCDate()).padStart(2);
  const time = receivedAt.toISOString().slice(11, 19);
  const date = `${days[receivedAt.getUTCDay()]} ${months[receivedAt.getUTCMonth()]} ${day} ${time}`;
  return `From MAILER-DAEMON ${date} ${receivedAt.getUTCFullYear()}`;
}

/** Whether a line stands between two messages. Some programs do not quote, so a sentence that begins with "From" must not be one. */
export function isFromLine(line: string): boolean {
  // Thunderbird writes the word alone.
  return /^From (?:[-\s]*$|.*\d:\d\d.*\b\d{4}\b)/.test(line);
}

/** The time in such a line, in milliseconds since 1970. Its zone is UTC, unless the line names another. */
export function timeInFromLine(line: string): number | undefined {
  const found =
    /([A-Z][a-z]{2}) +(\d{1,2}) +(\d{1,2}:\d\d(?::\d\d)?)(?: +([+-]\d{4}|[A-Z]{1,5}))? +(\d{4})(?: +([+-]\d{4}))?/.exec(
      line,
    );
  if (found === null) return undefined;
  const [, month, day, clock, before, year, after] = found;
  const zone = after ?? (before?.match(/^[+-]/) ? before : '+0000');
  const time = Date.parse(`${day} ${month} ${year} ${clock} ${zone}`);
  return Number.isNaN(time) || time < 0 ? undefined : time;
}
