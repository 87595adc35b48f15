import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../../src/http/openapi/types.ts';

const whole = 'https://house.test/document';

/** Compiles schemas of a document, which may refer to those that it names. It is looked through once, not for each schema. */
export function schemaCompiler(ajv: Ajv2020, schemas: object): (schema: Json) => ValidateFunction {
  const sent = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
  ajv.addSchema({ $id: whole, components: { schemas: sent(schemas) } });
  return (schema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${whole}#/`)) as object);
}
