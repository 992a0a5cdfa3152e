import { Menu, Stack, Text } from '@mantine/core';
import { saveGuide } from '#contract/calls/subscription.ts';
import { useAction } from '../data/queries.ts';
import { chooseLocale, locales, readLocale, type Locale } from '../data/locale.ts';
import { Link, useSubmit } from 'react-router';
import type { Session } from '../data/session.ts';
import { useEnvironment } from '../data/environment.ts';
import { hasNews, helpHome, newsPage, readNews } from '../data/help.ts';
import { Icon } from '../components/icons.tsx';
import { logoutPath, mayOpen, screens } from './screens.ts';
import styles from './shell.module.css';
import { AccountButton } from './account-button.tsx';
import { Note } from '../components/note.tsx';

/** The account button with its menu, which is open at first. */
export function UserMenu({ session }: { session: Session }) {
  const submit = useSubmit();
  const { username, client, roles } = session.claims;
  return (
    <Menu defaultOpened width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <AccountButton session={session} />
      </Menu.Target>
      <Menu.Dropdown>
        <Stack gap={0} py={6} px={10} style={{ overflowWrap: 'anywhere' }}>
          <Text span fw={600} size="sm">
            {username}
          </Text>
          {client !== null && <Note>{client.name}</Note>}
        </Stack>
        <Menu.Divider />
        {screens
          .filter((screen) => screen.group === 'account' && mayOpen(screen, roles))
          .map(({ paths: [path], label, icon }) => (
            <Menu.Item key={path} component={Link} to={path} leftSection={<Icon name={icon} size={16} />}>
              {label}
            </Menu.Item>
          ))}
        {client !== null && roles.includes('clientadmin') && <SetupItem />}
        <LocaleMenu />
        <Menu.Divider />
        <HelpItems username={username} />
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon name="logout" size={16} />}
          onClick={() => void submit(null, { method: 'post', action: logoutPath })}
        >
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Reopens the setup. */
function SetupItem() {
  const open = useAction(saveGuide, { changes: ['subscription'] });
  return (
    <Menu.Item
      component={Link}
      to="/setup"
      leftSection={<Icon name="check" size={16} />}
      onClick={() => open.mutate({ body: { guide: 'open' } })}
    >
      Setup
    </Menu.Item>
  );
}

/** Opens the help and the news; a dot marks news that the user has not read. */
function HelpItems({ username }: { username: string }) {
  const { version } = useEnvironment();
  return (
    <>
      <Menu.Item component="a" href={helpHome} target="_blank" leftSection={<Icon name="help" size={16} />}>
        Help
      </Menu.Item>
      <Menu.Item
        component="a"
        href={newsPage}
        target="_blank"
        leftSection={<Icon name="info" size={16} />}
        rightSection={
          hasNews(username, version) ? (
            <span className={styles.newsDot} role="img" aria-label="not read yet" />
          ) : undefined
        }
        onClick={() => readNews(username, version)}
      >
        What’s new
      </Menu.Item>
    </>
  );
}

/** Sets the format of dates and amounts in this browser. */
function LocaleMenu() {
  const current = readLocale();
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<Icon name="fields" size={16} />}>Date and amount format</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        {Object.entries(locales).map(([locale, { label }]) => (
          <Menu.Item
            key={locale}
            aria-current={locale === current}
            rightSection={locale === current ? <Icon name="check" size={14} /> : undefined}
            onClick={() => chooseLocale(locale as Locale)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}
