import { Problem } from '../../base/problem.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';
import { editText } from '../passvault/browse/editor.ts';
import { givenText } from './given-text.ts';

export interface BodyFlags {
  readonly 'body-file'?: string | undefined;
  readonly 'html-file'?: string | undefined;
}

export interface WrittenBody {
  readonly textBody?: string;
  readonly htmlBody?: string;
}

/**
 * The text of a message: from files, from a pipe, or from an editor on a terminal.
 *
 * @param begun what the editor shows at first, and what follows a text from elsewhere
 * @throws Problem as `givenText` and `editText`; invalid NOT_CONFIRMED for an empty text from the editor
 */
export async function writtenBody(
  terminal: Terminal,
  { 'body-file': file, 'html-file': html }: BodyFlags,
  { begun = '', warn }: { readonly begun?: string; readonly warn: (message: string) => void },
): Promise<WrittenBody> {
  if (file === '-' && html === '-')
    throw new Problem(
      'invalid',
      'USAGE',
      'Standard input can be either --body-file or --html-file. Give a file for one.',
    );
  const htmlBody = html === undefined ? undefined : await givenText(terminal, html);
  const whole = htmlBody === undefined ? {} : { htmlBody };
  if (file !== undefined) return { ...whole, textBody: withBegun(await givenText(terminal, file), begun) };
  // A reader of HTML shows no quotation twice: the text is made of the HTML where there is none.
  if (htmlBody !== undefined) return whole;
  if (!isInteractive(terminal)) return { textBody: withBegun(await givenText(terminal, '-'), begun) };
  const edited = await editText(terminal, begun, { allowDisk: true, warn });
  if (edited === undefined || edited.trim() === '')
    throw new Problem('invalid', 'NOT_CONFIRMED', 'The text was not changed. Nothing was sent.');
  return { textBody: edited };
}

function withBegun(text: string, begun: string): string {
  return begun === '' ? text : `${text.trimEnd()}\n${begun}`;
}
