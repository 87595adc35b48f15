import type { Config } from '../../config/config.ts';
import type { Topic } from '../../contract/all.ts';
import { reference } from '../../contract/reference.ts';
import { openApiDocument } from '../openapi/document.ts';
import { page } from './page.ts';
import { style } from './style.ts';

/** Everything that the reference answers, as text. */
export interface Rendered {
  readonly document: string;
  /** of all operations, or of those that have all of the words */
  readonly page: (words: string) => string;
  readonly style: string;
}

export function renderReference(topics: readonly Topic[], limits: Config['limits'], version: string): Rendered {
  const places = {
    welcome: reference.welcome.path,
    document: reference.document.path,
    page: reference.page.path,
  };
  const document = openApiDocument(topics, limits, version);
  return {
    document: `${JSON.stringify(document)}\n`,
    page: (words) => page(document, places, words),
    style,
  };
}
