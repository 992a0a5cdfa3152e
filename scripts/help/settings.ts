import { settingAnchor } from '#web/data/help.ts';
import { type SettingDefinition, type SettingTab, settingTabs } from '#core/settings/definition.ts';
import { definitionOf, settingDefinitions, settingKeys, type SettingKey } from '#core/settings/definitions.ts';
import { itemSettingDefinitions, itemSettingsConfig, type ItemSettingKey } from '#core/settings/item-settings.ts';

const psa = 'Autotask';
const named = (text: string): string => text.replaceAll('{psa}', psa);

/** When a setting is offered at all. */
const availability: Readonly<Record<NonNullable<SettingDefinition['availableWhen']>, string>> = {
  voids: 'if your operator has turned on voids',
  payments: 'if payments are offered for your connection',
  procurement: `if ${psa} has the procurement module`,
  locations: 'if QuickBooks tracks locations',
  automated_sales_tax: 'if QuickBooks computes sales tax automatically',
};

/** Returns the Markdown of all settings, by tab and group of the screen. */
export function settingsPart(): string {
  return (Object.keys(settingTabs) as SettingTab[])
    .map((tab) => {
      const keys = settingKeys.filter((key) => definitionOf(key).tab === tab);
      const groups = [...new Set(keys.map((key) => definitionOf(key).group))];
      const parts = groups.map((group) =>
        [
          `### ${group} {#${settingAnchor(tab, group)}}`,
          ...keys.filter((key) => definitionOf(key).group === group).map(settingPart),
        ].join('\n\n'),
      );
      return [`## ${settingTabs[tab]} {#${tab}}`, ...parts].join('\n\n');
    })
    .join('\n\n');
}

function settingPart(key: SettingKey): string {
  const definition: SettingDefinition = settingDefinitions[key];
  const facts = [
    `Default: ${defaultText(definition)}.`,
    ...rangeOf(definition),
    ...(definition.required === true ? ['Required.'] : []),
    ...conditionText('Required while', definition.requiredWhen),
    ...conditionText('Shown while', definition.shownWhen),
    ...(definition.availableWhen === undefined ? [] : [`Offered ${availability[definition.availableWhen]}.`]),
  ];
  const options =
    definition.type === 'choice' ? `\n\n${definition.options.map(({ text }) => `- ${named(text)}`).join('\n')}` : '';
  return `#### ${named(definition.label)} {#${key}}\n\n${named(definition.help)}${options}\n\n*${facts.join(' ')}*`;
}

function defaultText(definition: SettingDefinition): string {
  switch (definition.type) {
    case 'boolean':
      return definition.default ? 'on' : 'off';
    case 'integer':
      return `${definition.default} ${definition.unit}`;
    case 'choice':
      return `“${named(definition.options.find(({ value }) => value === definition.default)?.text ?? '')}”`;
    case 'amount':
      return definition.default;
    default:
      return 'empty';
  }
}

const rangeOf = (definition: SettingDefinition): readonly string[] =>
  definition.type === 'integer' ? [`From ${definition.min} to ${definition.max} ${definition.unit}.`] : [];

function conditionText(word: string, condition: SettingDefinition['requiredWhen']): readonly string[] {
  const parts = Object.entries(condition ?? {}).map(([key, value]) => {
    const label = named(definitionOf(key as SettingKey).label);
    return `“${label}” is ${value === true ? 'on' : String(value)}`;
  });
  return parts.length === 0 ? [] : [`${word} ${parts.join(' and ')}.`];
}

/** Returns the Markdown of the item settings. */
export function itemSettingsPart(): string {
  const config = itemSettingsConfig();
  return (Object.keys(itemSettingDefinitions) as ItemSettingKey[])
    .map((key) => {
      const { label, options, default: initial, help } = config[key];
      const texts = options.map(({ value, text }) => `- ${text}${value === initial ? ' (default)' : ''}`);
      return `### ${label} {#${key}}\n\n${help}\n\n${texts.join('\n')}`;
    })
    .join('\n\n');
}
