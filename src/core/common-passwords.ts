/**
 * Passwords that attackers try first, in lower case. Lists only those that meet the other rules: eight characters or
 * more, and mostly with a digit.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  password password0 password01 password1 password10 password11 password12 password123 password1234 password12345
  password2 password21 password22 password23 password3 password4 password5 password6 password7 password8 password9
  password99 password00 password2020 password2021 password2022 password2023 password2024 password2025 password2026
  passw0rd passw0rd1 passw0rd12 passw0rd123 p4ssword p4ssword1 p4ssw0rd p@ssword p@ssword1 p@ssw0rd p@ssw0rd1
  p@ssw0rd12 p@ssw0rd123 pa55word pa55word1 pa$$word pa$$w0rd pa$$w0rd1 mypassword mypassword1 newpassword
  newpassword1 oldpassword1 yourpassword1 thepassword1 passpass1 passwort1 passwort123 motdepasse1 contrasena1
  12345678 123456789 1234567890 12345678a 123456789a 1234567a 123456abc 12345abc 1234abcd 1234qwer 123qweasd
  123qweasdzxc 123abc123 123123123 11111111 00000000 87654321 987654321 a12345678 a123456789 a1234567 a1b2c3d4
  a1b2c3d4e5 aa123456 aa12345678 ab123456 abc12345 abc123456 abc1234567 abc12345678 abcd1234 abcd12345 abcd123456
  abcde12345 abcdef123 abcdefg1 abcdefgh1 abc123abc abc123def q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 1q2w3e4r 1q2w3e4r5t
  1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 2wsx3edc qaz123wsx qazwsx123 qazwsxedc1 zaq12wsx zaq1zaq1 zaq1xsw2
  qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty01 qwerty99 qwertyui1 qwertyuiop qwertyuiop1
  qwertyuiop123 qwert123 qwert12345 qwer1234 qwe123qwe qweasd123 qweasdzxc1 asdf1234 asdf12345 asdfgh123 asdfghjk1
  asdfghjkl asdfghjkl1 asdfasdf1 zxcvbnm1 zxcvbnm123 zxcv1234 azerty123 azertyuiop1 qwertz123 1234567q 123456qwerty
  admin123 admin1234 admin12345 admin123456 administrator administrator1 adminadmin1 admin2020 admin2021 admin2022
  admin2023 admin2024 admin2025 admin2026 root1234 rootroot1 toor1234 sysadmin1 superuser1 superman1 superman123
  test1234 test12345 test123456 testtest1 testing1 testing123 tester123 guest1234 guest123 user1234 username1
  default1 changeme changeme1 changeme12 changeme123 letmein1 letmein12 letmein123 letmein1234 letmeinnow1
  welcome1 welcome2 welcome12 welcome123 welcome1234 welcome01 welcome2020 welcome2021 welcome2022 welcome2023
  welcome2024 welcome2025 welcome2026 login123 login1234 access123 secret123 secret1234 topsecret1 private1 temp1234
  temppass1 temporary1 company1 company123 business1 office123 office365 microsoft1 windows10 windows11 internet1
  computer1 computer123 server2019 server2022 quickbooks1 autotask1 accounting1 invoice123 monday123 friday123
  spring2024 spring2025 spring2026 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 summer2026
  summer123 autumn2024 autumn2025 autumn2026 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025
  winter2026 winter123 january1 january2025 january2026 december1 november1 october1 september1 february1
  football1 football12 football123 baseball1 baseball123 basketball1 soccer123 hockey123 liverpool1 arsenal123
  chelsea123 dallas123 cowboys1 yankees1 steelers1 iloveyou1 iloveyou2 iloveyou12 iloveyou123 loveyou123 lovely123
  sunshine1 sunshine12 sunshine123 princess1 princess12 princess123 dragon123 monkey123 monkey1234 shadow123
  master123 michael1 michael123 jennifer1 jordan23 jordan123 charlie1 charlie123 jessica1 ashley123 daniel123
  matthew1 anthony1 nicole123 samsung1 samsung123 batman123 starwars1 pokemon1 pokemon123 minecraft1 whatever1
  trustno1 trustno12 freedom1 freedom123 blink182 ncc1701d nothing1 hello123 hello1234 hello12345 goodluck1 family123
  diamond1 butterfly1 chocolate1 cookie123 pepper123 ginger123 buster123 maggie123 money123 money1234 america1
  texas123 london123 rockyou1 metallica1 jesus123 blessed1 angel123 flower123 summer01 correcthorsebatterystaple
  `
    .split(/\s+/)
    .filter((word) => word !== ''),
);
