import { linesWithin } from '../canvas.ts';
import { fit } from '../display-width.ts';
import { escapeForTerminal } from '../escape-for-terminal.ts';
import { bytes, type Screen } from '../screen.ts';
import { details } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { shownText, sidesText, type Preview, type Viewed } from './content.ts';
import { halfBlocks, lookOf } from './half-blocks.ts';

/** Lines that stay for what is below a picture, and for the next command. */
const OTHER_LINES = 3;

/** What there is to see of a file, as the answer of a command. */
export function previewText({ stdout, env }: Terminal, screen: Screen, file: Viewed, preview: Preview): string {
  const { width, measure, paint } = screen;
  const isTerminal = Number.isFinite(width);
  if (preview.kind === 'text') {
    const text = shownText(preview.text);
    return isTerminal ? linesWithin(text, width, measure).join('\n') : text;
  }
  if (preview.kind === 'picture' && isTerminal) {
    const lines = Math.max(1, (stdout.rows ?? 24) - OTHER_LINES);
    const drawn = halfBlocks(preview.pixels, { columns: width, lines }, lookOf(stdout, env));
    const facts = [file.name, preview.type, sidesText(preview.sides), bytes(file.size)].join('  ');
    return [...drawn, paint('dim', fit(escapeForTerminal(facts), width, measure))].join('\n');
  }
  const { sides, type } = preview;
  return details(screen, [
    ['Name', file.name],
    ['Type', type ?? file.type ?? 'application/octet-stream'],
    ...(type === undefined || file.type === undefined || file.type === type ? [] : [['Sent as', file.type] as const]),
    ['Size', bytes(file.size)],
    ...(sides === undefined ? [] : [['Pixels', `${sides.width} x ${sides.height}`] as const]),
  ]);
}

/** The same for programs. */
export function previewFacts({ name, size, type: sentAs }: Viewed, preview: Preview): Record<string, unknown> {
  const { kind, type = null } = preview;
  const facts = { name, size, type, sentAs: sentAs ?? null, kind };
  if (preview.kind === 'text') return { ...facts, text: preview.text, isWhole: preview.isWhole };
  const reason = preview.kind === 'hidden' ? { reason: preview.why } : {};
  return { ...facts, ...preview.sides, ...reason };
}
