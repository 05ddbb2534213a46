import type { CodeSample } from './first-call.ts';

/** A call as a program makes it. */
export interface Call {
  method: string;
  url: string;
  /** The header that says who is calling, if the operation needs one. */
  credential: Credential | undefined;
  /** The body: JSON, or the fields of a form. */
  body?: unknown;
  form?: Readonly<Record<string, string>> | undefined;
}

/** A header, and the name of the variable that has its secret. */
export interface Credential {
  header: string;
  prefix: string;
  variable: string;
}

/** The same call in each language; the credential is in a variable. */
export function codeSamples(call: Call): CodeSample[] {
  return [
    { lang: 'shell', label: 'curl', source: curlSample(call) },
    { lang: 'typescript', label: 'TypeScript', source: typescriptSample(call) },
    { lang: 'python', label: 'Python', source: pythonSample(call) },
  ];
}

const JSON_TYPE = 'application/json';

function curlSample({ method, url, credential, body, form }: Call): string {
  const options = [
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    ...(credential ? [`--header "${credential.header}: ${credential.prefix}$${credential.variable.toUpperCase()}"`] : []),
    ...(body === undefined ? [] : [`--header 'Content-Type: ${JSON_TYPE}'`, `--data ${quoted(JSON.stringify(body, null, 2))}`]),
    ...Object.entries(form ?? {}).map(([name, value]) => `--form ${quoted(`${name}=${value}`)}`),
  ];
  return [`curl ${quoted(url)}`, ...options].join(' \\\n  ');
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typescriptSample({ method, url, credential, body, form }: Call): string {
  const headers = [
    ...(credential ? [`${keyOf(credential.header)}: \`${credential.prefix}\${${credential.variable}}\``] : []),
    ...(body === undefined ? [] : [`'Content-Type': '${JSON_TYPE}'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(JSON.stringify(body, null, 2))})`]),
    ...(form === undefined ? [] : ['body: form']),
  ];
  const fields = Object.entries(form ?? {}).map(([name, value]) => `form.set('${name}', ${JSON.stringify(value)});\n`);
  const init = options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')},\n}`;
  const before = form === undefined ? '' : `const form = new FormData();\n${fields.join('')}\n`;
  return `${before}const answer = await fetch('${url}'${init});\nconsole.log(answer.status, await answer.text());`;
}

const keyOf = (header: string) => (/^\w+$/.test(header) ? header : `'${header}'`);

function pythonSample({ method, url, credential, body, form }: Call): string {
  const values = Object.entries(form ?? {}).map(([name, value]) => `"${name}": (None, ${JSON.stringify(value)})`);
  const options = [
    ...(credential ? [`headers={"${credential.header}": f"${credential.prefix}{${credential.variable}}"}`] : []),
    ...(body === undefined ? [] : [`json=${indented(pythonOf(body), '    ')}`]),
    // A tuple without a name makes requests send a multipart form even without a file.
    ...(form === undefined ? [] : [`files={${values.join(', ')}}`]),
  ];
  const rest = options.map((option) => `    ${option},\n`).join('');
  const call = `requests.${method.toLowerCase()}(${rest === '' ? `"${url}"` : `\n    "${url}",\n${rest}`})`;
  return `import requests\n\nanswer = ${call}\nprint(answer.status_code, answer.text)`;
}

function indented(text: string, by = '  '): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** Writes a JSON value as Python does. */
function pythonOf(value: unknown): string {
  const names: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  const literals = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g;
  return JSON.stringify(value, null, 4).replaceAll(literals, (literal) => names[literal] ?? literal);
}
