import { Marked, type Tokens } from 'marked';
import { html, type Html } from './html.ts';
import { guidePath, shell } from './shell.ts';
import type { Guide } from './guides.ts';

/** A guide, with the list of all of them beside it. */
export function guidePage(guide: Guide, all: readonly Guide[]): string {
  const names = new Set(all.map(({ name }) => name));
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href, names);
        return target === undefined ? text : html`<a href="${target}">${{ markup: text }}</a>`.markup;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="scroll"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      // HTML in the documents is only comments for their authors, so it is omitted.
      html: () => '',
    },
  });
  const body: Html = { markup: marked.parse(guide.markdown, { async: false }) };
  return shell(guide.title, all, body);
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** @returns undefined for a target that isn't served, such as a file of the repository */
function targetOf(href: string, names: ReadonlySet<string>): string | undefined {
  if (href.startsWith('#') || href.startsWith('https://')) return href;
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return names.has(name) ? `${guidePath(name)}${anchor}` : undefined;
}
