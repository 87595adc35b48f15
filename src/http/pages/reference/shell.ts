import { reference } from '../../../contract/reference.ts';
import { frame } from './frame.ts';
import { html, type Html } from './html.ts';
import type { Guide } from './guides.ts';

export function guidePath(name: string): string {
  return reference.guide.path.replace(':name', name);
}

/** A page of text, with the list of the guides beside it. */
export function shell(title: string, guides: readonly Guide[], main: Html): string {
  const navigation = html`<p class="title"><a href="${reference.welcome.path}">Conclave</a></p>
    ${guides.length === 0 ? html`` : html`<p>Guides</p>`}
    <ul>
      ${guides.map(({ name, title: text }) => html`<li><a href="${guidePath(name)}">${text}</a></li>`)}
    </ul>
    <p>The interface</p>
    <ul>
      <li><a href="${reference.page.path}">Reference</a></li>
      <li><a href="${reference.document.path}">OpenAPI document</a></li>
    </ul>`;
  return frame({
    title: title === 'Conclave' ? title : `${title}: Conclave`,
    skip: 'To the text',
    label: 'Pages',
    navigation,
    main,
  });
}
