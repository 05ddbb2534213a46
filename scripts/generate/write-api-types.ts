import { writeFileSync } from 'node:fs';
import openapiTypes, { astToString } from 'openapi-typescript';
import { describeApi } from './api-description.ts';

/** Writes the types of the JSON API, for the web frontend, to the named file. */
const { description } = await describeApi();
// Without a folder it would read the current one as a part of a URL and fail in a folder such as `100%`.
const types = await openapiTypes(JSON.stringify(description), { cwd: new URL('file:///') });
writeFileSync(process.argv[2] ?? '', astToString(types));
