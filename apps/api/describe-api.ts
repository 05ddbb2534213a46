import { STATUS_CODES } from 'node:http';
import type { SwaggerOptions } from '@fastify/swagger';
import { OPERATION_IDS } from './operation-ids.ts';
import { Problem } from './problem.ts';

type Json = { [key: string]: unknown };
/** Names of security schemes; no scheme of ours has scopes. */
type Security = { [scheme: string]: string[] };

/** The security requirements of each guard for OpenAPI; any one of them is enough. */
const SECURITY: [guard: RegExp, requirements: Security[]][] = [
  [/^publicRoute\(/, []],
  [/^user\(/, [{ bearer: [] }, { cookie: [] }]],
  [/^agencyKey\(/, [{ agencyKey: [] }]],
  [/^masterKey\(/, [{ masterKey: [] }]],
  [/^sendgridSignature\(/, [{ sendgridSignature: [] }]],
  [/^twilioSignature\(/, [{ twilioSignature: [] }]],
];

const inHeader = (name: string, description: string) => ({ type: 'apiKey' as const, in: 'header', name, description });

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a sign-in.',
  },
  cookie: {
    type: 'apiKey' as const,
    in: 'cookie',
    name: 'api_token',
    description: 'The same token; a Bearer header comes first.',
  },
  agencyKey: inHeader('X-API-Key', 'The key of an agency.'),
  masterKey: inHeader('X-Master-API-Key', 'The key of the platform’s own triggers.'),
  sendgridSignature: inHeader('X-Twilio-Email-Event-Webhook-Signature', 'SendGrid signs its reports.'),
  twilioSignature: inHeader('X-Twilio-Signature', 'Twilio signs its reports.'),
};

const TAGS = {
  auth: 'Sign in, refresh a token, set a new password.',
  me: 'Your own profile, password, two-factor sign-in, files, and bank account.',
  home: 'Everything that waits for you, in one call.',
  messages: 'Conversations and their messages.',
  cases: 'Cases, their calendars, documents, statements, and proofs of funds.',
  disbursements: 'Requests for money: ask, submit, approve, follow.',
  notifications: 'Devices for pushes, and what you are notified about.',
  agencies: 'Events from the systems of an agency.',
  internal: 'Calls of the platform itself.',
  webhooks: 'Reports of providers about emails and text messages.',
};

/** How a call can fail, by status. Each is one shared response, to which operations refer. */
const FAILURES = {
  401: { name: 'NotAuthenticated', description: 'The request does not prove who is calling.' },
  403: { name: 'Forbidden', description: 'The caller’s role or permissions do not allow the call.' },
  404: { name: 'NotFound', description: 'The object does not exist, or the caller may not see it.' },
  409: { name: 'Conflict', description: 'The current state does not allow the change.' },
  413: { name: 'TooLarge', description: 'The body is larger than the limit.' },
  415: { name: 'UnsupportedType', description: 'The content type is not accepted.' },
  422: { name: 'InvalidInput', description: 'The input is invalid: `errors` names each field.' },
  429: { name: 'TooManyRequests', description: 'Too many requests: `Retry-After` says when to try again.' },
  503: { name: 'Unavailable', description: 'A dependency is down: `Retry-After` says when to try again.' },
  default: { name: 'Failure', description: 'Any other failure.' },
};

const LIMIT_HEADERS = Object.fromEntries(
  Object.entries({
    'Retry-After': 'In how many seconds to continue.',
    'RateLimit-Policy': 'Each limit, how many calls it allows (`q`), and in how many seconds (`w`).',
    RateLimit: 'Each limit, how many calls remain (`r`), and for how many seconds (`t`). Other answers have it, too.',
  }).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
);

/**
 * The OpenAPI description. It is made from the routes' schemas and guards, so that it promises only what they do (API-5). A
 * schema with a `title` becomes a named component; each operation names who may call it, and fails with problem details (RFC
 * 9457).
 * @param apiUrl where the API is called.
 * @throws for a route without an operation id or with an unknown guard, and for two schemas with the same title.
 */
export function describeApi(apiUrl: string): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Case Platform API',
        version: '1',
        description: 'Sign in with POST /api/user/auth/login and send the access token as a Bearer header.',
      },
      servers: [{ url: apiUrl }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: ({ schema, url, route }) => {
      if (schema?.hide === true) return { schema, url };
      const call = `${[route.method].flat()[0]} ${url}`;
      const operationId = OPERATION_IDS[call];
      if (operationId === undefined) throw new Error(`${call} has no operation id: give it one in operation-ids.ts.`);
      return { schema: { ...schema, operationId, security: securityOf(route.config?.guard?.name ?? '') }, url };
    },
    transformObject: (documents) => ('openapiObject' in documents ? complete(documents.openapiObject as Json) : {}),
  };
}

function securityOf(guard: string): Security[] {
  const entry = SECURITY.find(([name]) => name.test(guard));
  if (entry === undefined) throw new Error(`The description of the API does not know the guard ${guard}.`);
  return entry[1];
}

interface Operation {
  security: Security[];
  parameters?: unknown;
  requestBody?: { required?: boolean; content?: Record<string, { schema: { anyOf?: { type?: unknown }[] } }> };
  responses: Record<string, Json>;
}

function complete(document: Json): Json {
  const named = new Map<string, Json>();
  const problem = { 'application/problem+json': { schema: nameSchemas(Problem, named) } };
  for (const [path, operations] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
    for (const [method, operation] of Object.entries(operations)) {
      // A body that may be null may also be missing.
      const { requestBody } = operation;
      const body = requestBody?.content?.['application/json']?.schema.anyOf ?? [];
      if (requestBody !== undefined && body.some(({ type }) => type === 'null')) requestBody.required = false;
      for (const [status, response] of Object.entries(operation.responses)) {
        response.description = STATUS_CODES[status] ?? 'Answer';
      }
      for (const [status, { name }] of listFailures(method, path, operation)) {
        operation.responses[status] = { $ref: `#/components/responses/${name}` };
      }
    }
  }
  const paths = nameSchemas(document.paths, named);
  const schemas = Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1)));
  const responses = Object.fromEntries(
    Object.entries(FAILURES).map(([status, { name, description }]) => [
      name,
      { description, headers: status === '429' ? LIMIT_HEADERS : undefined, content: problem },
    ]),
  );
  return { ...document, paths, components: { ...(document.components as Json), responses, schemas } };
}

/** The entries of `FAILURES` that an operation can answer with. */
function listFailures(method: string, path: string, { security, parameters, requestBody }: Operation) {
  const [isGuarded, hasBody] = [security.length > 0, requestBody !== undefined];
  const isPossible: Record<keyof typeof FAILURES, boolean> = {
    401: isGuarded || path.startsWith('/api/user/auth/'),
    403: isGuarded,
    404: path.includes('{'),
    409: method !== 'get',
    413: hasBody,
    415: hasBody,
    422: hasBody || parameters !== undefined,
    429: true,
    503: true,
    default: true,
  };
  return Object.entries(FAILURES).filter(([status]) => isPossible[status as keyof typeof FAILURES]);
}

/** Replaces each schema that has a title by a reference to it. */
function nameSchemas(value: unknown, schemas: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => nameSchemas(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = nameSchemas(inner, schemas);
  if (typeof copy.title !== 'string') return copy;
  const { title, ...schema } = copy;
  const existing = schemas.get(title);
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema)) {
    throw new Error(`Two schemas of the API are called ${title}.`);
  }
  schemas.set(title, schema);
  return { $ref: `#/components/schemas/${title}` };
}
