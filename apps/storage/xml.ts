import type { FastifyReply } from 'fastify';
import { S3Error } from './s3-error.ts';

/** The content of an element: text or child elements. A list repeats the element. */
type XmlValue = string | number | boolean | undefined | XmlElements | XmlElements[] | string[];
interface XmlElements {
  [name: string]: XmlValue;
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Writes an XML document with one root element and without undefined elements. Error documents have no namespace. */
export function xmlDocument(root: string, content: XmlElements, { namespace = true } = {}): string {
  const attribute = namespace ? ` xmlns="${NAMESPACE}"` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${children(content)}</${root}>`;
}

export function sendXml(reply: FastifyReply, root: string, content: XmlElements): FastifyReply {
  return reply.header('content-type', 'application/xml').send(xmlDocument(root, content));
}

function children(content: XmlElements): string {
  return Object.entries(content)
    .map(([name, value]) => (Array.isArray(value) ? value.map((item) => element(name, item)).join('') : element(name, value)))
    .join('');
}

function element(name: string, value: Exclude<XmlValue, unknown[]>): string {
  if (value === undefined) return '';
  return `<${name}>${typeof value === 'object' ? children(value) : escapeXml(String(value))}</${name}>`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/\p{Cc}/gu, (char) => `&#x${(char.codePointAt(0) ?? 0).toString(16)};`);
}

/**
 * Returns the inner text of every `<name>` element, for the small documents that S3 clients send. They have no attributes below
 * the root, no nested elements of the same name, and no document types, which are rejected.
 */
export function xmlElements(document: string, name: string): string[] {
  if (document.includes('<!')) throw malformedXml();
  const texts: string[] = [];
  const opening = new RegExp(`<((?:\\w+:)?${name})(?:\\s[^<>]*)?>`, 'g');
  for (let match = opening.exec(document); match !== null; match = opening.exec(document)) {
    const end = document.indexOf(`</${match[1]}>`, opening.lastIndex);
    if (end === -1) throw malformedXml();
    texts.push(document.slice(opening.lastIndex, end));
    opening.lastIndex = end;
  }
  return texts;
}

export function malformedXml(): S3Error {
  return new S3Error('MalformedXML', 'The XML you provided was not well-formed or did not validate against our schema.');
}

/** Returns the text of the first `<name>` element with its entities resolved, or undefined. */
export function xmlText(document: string, name: string): string | undefined {
  const inner = xmlElements(document, name)[0];
  return inner?.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[String(name)] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
