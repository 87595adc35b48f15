import { escapedMarkup } from '../../../base/escaped-markup.ts';

/** Markup. Other text has to be escaped. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** A template that escapes its values, unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [at, part] of parts.entries()) markup += markupOf(part) + (strings[at + 1] ?? '');
  return { markup };
}

export const nothing: Html = { markup: '' };

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escapedMarkup(String(part));
  return 'markup' in part ? part.markup : part.map((one) => one.markup).join('');
}

/** A line of our own prose. Text in backticks becomes code. */
export function prose(text: string): Html {
  return { markup: escapedMarkup(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') };
}

export function paragraphs(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`);
}
