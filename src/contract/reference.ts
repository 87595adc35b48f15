import * as v from 'valibot';
import { rawOperation } from './operation.ts';

/** The description of the interface that the node serves of itself. */
export const reference = {
  document: rawOperation({
    id: 'reference.document',
    method: 'GET',
    path: '/openapi.json',
    surface: 'system',
    auth: 'optional',
    summary: 'The OpenAPI 3.1 document of this node',
    input: v.object({}),
    status: 200,
    errors: [],
    accepts: [],
    produces: ['application/json'],
  }),
  page: rawOperation({
    id: 'reference.page',
    method: 'GET',
    path: '/docs',
    surface: 'system',
    auth: 'none',
    summary: 'The same as a page to read',
    input: v.object({}),
    status: 200,
    errors: [],
    accepts: [],
    produces: ['text/html'],
  }),
  style: rawOperation({
    id: 'reference.style',
    method: 'GET',
    path: '/docs/style.css',
    surface: 'system',
    auth: 'none',
    summary: 'The style sheet of the page',
    input: v.object({}),
    status: 200,
    errors: [],
    accepts: [],
    produces: ['text/css'],
  }),
};
