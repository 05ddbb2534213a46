import { readFile } from 'node:fs/promises';
import { type Call, type Credential, codeSamples } from './code-samples.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';

/** A call that a test made, and its answer (`examples.json`). */
export interface Example {
  path: string;
  body?: unknown;
  form?: Record<string, string>;
  status: number;
  response?: unknown;
}

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  parameters?: { in: string; name: string; schema: object; description?: string; example?: unknown }[];
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
  'x-codeSamples'?: unknown;
}

interface Description {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const CREDENTIALS: Readonly<Record<string, Credential>> = {
  bearer: { header: 'Authorization', prefix: 'Bearer ', variable: 'token' },
  agencyKey: { header: 'X-API-Key', prefix: '', variable: 'api_key' },
  masterKey: { header: 'X-Master-API-Key', prefix: '', variable: 'master_key' },
};

/** Adds to the description what people want to know: examples, code in three languages, and what each field means (API-11). */
export async function describeForReaders(document: object): Promise<object> {
  const examples: Record<string, Example> = JSON.parse(await readFile(new URL('./examples.json', import.meta.url), 'utf8'));
  const description = structuredClone(document) as Description;
  const base = description.servers[0]?.url ?? '';
  for (const [name, schema] of Object.entries(description.components.schemas)) describeFields(name, schema);
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const example = examples[operation.operationId];
      describeFields(operation.operationId, operation);
      for (const parameter of operation.parameters ?? []) {
        parameter.description ??= describeField(operation.operationId, parameter.name);
      }
      if (example !== undefined) addExample(path, operation, example);
      const credential = operation.security.flatMap((scheme) => Object.keys(scheme).map((name) => CREDENTIALS[name])).at(0);
      const url = `${base}${example?.path ?? path.replaceAll(/\{\w+\}/g, '1')}`;
      const call: Call = { method: method.toUpperCase(), url, credential, body: example?.body, form: example?.form };
      operation['x-codeSamples'] = codeSamples(call);
    }
  }
  return description;
}

function addExample(path: string, operation: Operation, { path: address, body, form, status, response }: Example): void {
  const { requestBody, responses, parameters = [] } = operation;
  for (const content of Object.values(requestBody?.content ?? {})) content.example = body ?? form;
  const content = responses[status]?.content?.['application/json'];
  if (content !== undefined && response !== undefined) content.example = response;
  const values = new Map([...pathValues(path, address), ...new URL(address, 'http://api').searchParams]);
  for (const parameter of parameters) {
    const value = values.get(parameter.name);
    if (value !== undefined) parameter.example = /^\d+$/.test(value) ? Number(value) : value;
  }
}

/** The values of a path's parameters, by name. */
function pathValues(path: string, address: string): [string, string][] {
  const values = address.split('?')[0]?.split('/') ?? [];
  return path.split('/').flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), values[at] ?? '']] : []));
}

/** Describes each field in a schema, or anywhere in an operation, that has no description of its own. */
function describeFields(owner: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const { properties } = value as { properties?: Record<string, { $ref?: string; description?: string }> };
  for (const [name, field] of Object.entries(properties ?? {})) {
    if (field.$ref === undefined) field.description ??= describeField(owner, name);
  }
  for (const inner of Object.values(value)) describeFields(owner, inner);
}

function describeField(owner: string, name: string): string {
  return FIELD_DESCRIPTIONS[`${owner}.${name}`] ?? FIELD_DESCRIPTIONS[name] ?? '';
}
