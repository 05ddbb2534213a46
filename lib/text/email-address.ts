import { domainToASCII } from 'node:url';

/** RFC 5321, section 4.5.3.1.1. */
const LOCAL_PART_MAX = 64;
/** A dot-atom (RFC 5322, section 3.2.3). Quoted local parts are rejected, because many mail servers do not accept them. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Labels of a host name (RFC 1123, section 2.1). */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** A domain that ends in a number is an address of a machine (RFC 1123, section 2.1), and mail servers reject it. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i;
/** An address, also as mail programs copy it: `Jane Doe <jane@mail.test>`, `mailto:jane@mail.test`, or `jane@mail.test;`. */
const COPIED = /^(?:[^<>]*<(?:mailto:)?([^<>]*)>|(?:mailto:)?([^<>]*?))[,;]?$/;
const AROUND = /^[\s\p{Default_Ignorable_Code_Point}]+|[\s\p{Default_Ignorable_Code_Point}]+$/gu;
/** Domains that the conversion would decode, shorten, or read as a number. */
const CONVERTS_WRONGLY = /^[\0-\x7f]*$|[\s\p{Cc}%]/u;

/**
 * The one spelling under which an address is stored and looked up: without a name, invisible characters, and spaces around it, in
 * lower case, with an internationalized domain in its ASCII form (RFC 5891), and without a final dot. Other text stays recognizable.
 */
export function normalizeEmail(text: string): string {
  const copied = text.normalize('NFKC').replaceAll(AROUND, '').toLowerCase();
  const [, inBrackets, plain = copied] = COPIED.exec(copied) ?? [];
  const address = inBrackets ?? plain;
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  const domain = address.slice(at + 1).replace(/\.$/, '');
  const ascii = CONVERTS_WRONGLY.test(domain) ? domain : domainToASCII(domain) || domain;
  return `${address.slice(0, at)}@${ascii}`;
}

/** Whether mail servers accept a normalized address. It may still belong to no one. */
export function isEmail(address: string): boolean {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(0, at));
  return local.length <= LOCAL_PART_MAX && LOCAL_PART.test(local) && isDomain(address.slice(at + 1));
}

function isDomain(text: string): boolean {
  return DOMAIN.test(text) && !ENDS_IN_NUMBER.test(text);
}
