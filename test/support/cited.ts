/** Returns whether a source has the test title that a document cites. An ellipsis marks where a citation was shortened. */
export const hasTitle = (source: string, cited: string): boolean => source.includes(cited.replace(/^…|…$/g, ''));
