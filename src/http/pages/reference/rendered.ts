import type { Config } from '../../../config/config.ts';
import type { Topic } from '../../../contract/all.ts';
import { reference } from '../../../contract/reference.ts';
import { asyncApiDocument } from '../../asyncapi/document.ts';
import { openApiDocument } from '../../openapi/document.ts';
import { page } from './page.ts';
import { style } from './style.ts';

/** Every text that the reference serves. */
export interface Rendered {
  readonly document: string;
  /** the AsyncAPI document */
  readonly events: string;
  /** the page of the operations that contain all of the words; without words, of all operations */
  readonly page: (words: string) => string;
  readonly style: string;
}

export function renderReference(topics: readonly Topic[], limits: Config['limits'], version: string): Rendered {
  const places = {
    welcome: reference.welcome.path,
    document: reference.document.path,
    page: reference.page.path,
    events: reference.events.path,
  };
  const document = openApiDocument(topics, limits, version);
  const events = asyncApiDocument(topics, version);
  return {
    document: `${JSON.stringify(document)}\n`,
    events: `${JSON.stringify(events)}\n`,
    page: (words) => page(document, events, places, words),
    style,
  };
}
