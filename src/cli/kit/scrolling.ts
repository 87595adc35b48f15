/** Lines that are longer than the screen has room for. */
interface Scrolled {
  /** lines of the screen */
  readonly room: number;
  /** the first line that is shown */
  readonly top: number;
  /** what `top` is at the end */
  readonly last: number;
}

/** By how many lines a key scrolls. */
export function scrollStep(key: string, { room, top, last }: Scrolled): number {
  const steps: Readonly<Record<string, number>> = {
    down: 1,
    return: 1,
    up: -1,
    space: room - 1,
    // Where text is written, a space is a key like others.
    ' ': room - 1,
    pagedown: room - 1,
    b: 1 - room,
    pageup: 1 - room,
    g: -top,
    home: -top,
    G: last - top,
    end: last - top,
  };
  return steps[key] ?? 0;
}
