import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/checkout/checkout.mjs';
import { listCode, listImports } from '../../scripts/test/import-graph.mjs';

/** A function, class or value at the top of a file. */
interface Declaration {
  /** Every name in it. */
  names: Set<string>;
  sql: string[];
}

/** A file's declarations, and where its other names come from. */
interface Source {
  declarations: Map<string, Declaration>;
  imported: Map<string, string>;
}

/** The SQL of one declaration. */
export interface Statements {
  /** `file#name` */
  place: string;
  texts: string[];
}

/**
 * Finds the SQL that an application could run, by following names from its declarations into modules and lib. The result may
 * include SQL that never runs (of a function that is named but not called), and has everything that is written with `sql`.
 */
export function statementsOf(application: string): Statements[] {
  const sources = readSources();
  const places = new Set<string>();
  for (const [file, { declarations }] of sources)
    if (file.startsWith(`apps/${application}/`)) for (const name of declarations.keys()) places.add(`${file}#${name}`);
  const list: Statements[] = [];
  for (const place of places) {
    const [file = '', name = ''] = place.split('#');
    const { declarations, imported } = sources.get(file) ?? { declarations: new Map(), imported: new Map() };
    const elsewhere = imported.get(name);
    if (elsewhere !== undefined) places.add(elsewhere);
    const declaration: Declaration | undefined = declarations.get(name);
    if (declaration === undefined) continue;
    list.push({ place, texts: declaration.sql });
    for (const used of declaration.names) if (declarations.has(used) || imported.has(used)) places.add(`${file}#${used}`);
  }
  return list;
}

let known: Map<string, Source> | undefined;

function readSources(): Map<string, Source> {
  if (known !== undefined) return known;
  const targets = new Map(listImports().map(({ file, from, target }) => [`${file}#${from}`, target]));
  const files = listCode().filter((file) => /^(lib|modules|apps\/(api|admin|worker))\/.*(?<!\.test)\.ts$/.test(file));
  known = new Map(files.map((file) => [file, readSource(file, targets)]));
  return known;
}

function readSource(file: string, targets: Map<string, string | undefined>): Source {
  const tree = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  const source: Source = { declarations: new Map(), imported: new Map() };
  for (const statement of tree.statements) {
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier;
      const target = from !== undefined && ts.isStringLiteral(from) ? targets.get(`${file}#${from.text}`) : undefined;
      const names = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
      if (target === undefined || names === undefined || !('elements' in names)) continue;
      for (const { name, propertyName } of names.elements)
        source.imported.set(name.text, `${target}#${(propertyName ?? name).text}`);
    } else {
      const declaration = readDeclaration(statement);
      for (const name of namesOf(statement)) source.declarations.set(name, declaration);
    }
  }
  return source;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return [statement.name?.text ?? ''];
  // Statements outside of functions, as in a `main.ts`.
  return [`line ${statement.pos}`];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

function readDeclaration(statement: ts.Statement): Declaration {
  const declaration: Declaration = { names: new Set(), sql: [] };
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) declaration.names.add(node.text);
    if (ts.isTaggedTemplateExpression(node) && ts.isIdentifier(node.tag) && node.tag.text === 'sql')
      declaration.sql.push(textOf(node.template));
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return declaration;
}

/** Its own words, with `?` for what is put in. */
function textOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)].join('?');
}
