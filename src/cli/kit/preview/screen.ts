import { linesWithin, type Line } from '../canvas.ts';
import { escapeForTerminal } from '../escape-for-terminal.ts';
import type { FullScreen } from '../full-screen.ts';
import { ARRIVED } from '../keyboard.ts';
import { bytes } from '../screen.ts';
import { scrollStep } from '../scrolling.ts';
import { previewOf, shownText, sidesText, type Preview, type Viewed } from './content.ts';
import { halfBlocks, lookOf } from './half-blocks.ts';

type OnScreen = Pick<FullScreen, 'canvas' | 'keyboard' | 'measure' | 'terminal'>;

/** The last line below a text. */
const textHelp = 'space b:page arrows:line g G:ends q:back';

/**
 * Shows the beginning of a text, or a picture, until the person goes back, which they can while it is read.
 * @param saving how the whole is saved, as a sentence, for what can't be shown
 * @returns what to tell the person afterwards: nothing, or why it was not shown
 * @throws Problem as the `read` of the file does, Cancelled at Ctrl-C
 */
export async function showPreview(full: OnScreen, file: Viewed, saving: string): Promise<string> {
  full.canvas.draw(escapeForTerminal(titleOf(file)), ['Reading ...'], '', 'q:back');
  const preview = await unlessLeft(full, async (signal) => await previewOf(file, signal));
  if (preview === undefined) return '';
  const title = escapeForTerminal(titleOf(file, preview));
  if (preview.kind === 'hidden') return `${preview.why} ${saving}`;
  if (preview.kind === 'text') {
    const text = shownText(preview.text);
    await showLines(full, title, (columns) => linesWithin(text, columns, full.measure), textHelp);
  } else {
    const look = lookOf(full.terminal.stderr, full.terminal.env);
    const draw = (columns: number, lines: number): Line[] =>
      halfBlocks(preview.pixels, { columns, lines }, look).map((drawn) => ({ drawn }));
    await showLines(full, title, draw, 'q:back');
  }
  return '';
}

/** Keys with which somebody goes back. */
const leaving = new Set(['q', 'escape', 'left', 'backspace']);

/** Works until it is done, or the person goes back. @returns undefined if they did @throws Cancelled at Ctrl-C; what `work` does */
async function unlessLeft<T>(
  { keyboard }: Pick<OnScreen, 'keyboard'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  let isDone = false;
  const done = work(stop.signal).finally(() => {
    isDone = true;
    if (!stop.signal.aborted) keyboard.put(ARRIVED);
  });
  // Of what is not wanted any more nobody needs to hear that it failed.
  done.catch(() => undefined);
  try {
    for (;;) {
      const key = await keyboard.next();
      if (isDone) return await done;
      if (leaving.has(key)) return undefined;
    }
  } finally {
    stop.abort();
  }
}

function titleOf({ name, size }: Viewed, preview?: Preview): string {
  const text = `${name}  ${bytes(size)}`;
  if (preview?.kind === 'picture') return `${text}  ${sidesText(preview.sides)}`;
  return preview?.kind === 'text' && !preview.isWhole ? `${text}, the beginning` : text;
}

/** Shows lines, which may be more than the screen has, until the person goes back. */
async function showLines(
  { canvas, keyboard }: OnScreen,
  title: string,
  linesFor: (columns: number, lines: number) => readonly Line[],
  help: string,
): Promise<void> {
  let top = 0;
  let shown: { readonly columns: number; readonly room: number; readonly lines: readonly Line[] } | undefined;
  for (;;) {
    const [columns, room] = [canvas.width(), canvas.height()];
    if (shown?.columns !== columns || shown.room !== room) shown = { columns, room, lines: linesFor(columns, room) };
    const last = Math.max(0, shown.lines.length - room);
    top = Math.max(0, Math.min(last, top));
    canvas.draw(title, shown.lines.slice(top, top + room), '', help);
    const key = await keyboard.next();
    if (leaving.has(key)) return;
    top += scrollStep(key, { room, top, last });
  }
}
