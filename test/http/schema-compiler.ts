import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../../src/http/openapi/types.ts';

const whole = 'https://house.test/document';

/** Compiles schemas of a document, which may refer to those that it names. It is looked through once, and each schema compiled once. */
export function schemaCompiler(ajv: Ajv2020, schemas: object): (schema: Json) => ValidateFunction {
  const sent = (value: object): object => JSON.parse(JSON.stringify(value)) as object;
  ajv.addSchema({ $id: whole, components: { schemas: sent(schemas) } });
  const compiled = new WeakMap<Json, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${whole}#/`);
    const fits = ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, fits);
    return fits;
  };
}
