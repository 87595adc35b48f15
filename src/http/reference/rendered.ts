import type { Config } from '../../config/config.ts';
import { topics } from '../../contract/all.ts';
import { reference } from '../../contract/reference.ts';
import { openApiDocument } from '../openapi/document.ts';
import { page } from './page.ts';
import { style } from './style.ts';

/** Everything that the reference answers, as text. */
export interface Rendered {
  readonly document: string;
  readonly page: string;
  readonly style: string;
}

export function renderReference(limits: Config['limits'], version: string): Rendered {
  const document = openApiDocument(topics, limits, version);
  return {
    document: `${JSON.stringify(document)}\n`,
    page: page(document, { document: reference.document.path, style: reference.style.path }),
    style,
  };
}
