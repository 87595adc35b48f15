/**
 * The first entries of leaked password lists, in lower case and without added digits and signs. The caller removes those before the lookup.
 * Entries of at least eight characters are also matched whole.
 */
export const commonWords: ReadonlySet<string> = new Set(
  `
password passwords passwort kennwort motdepasse contrasena contraseña wachtwoord senha parola haslo heslo salasana losenord
lösenord adgangskode jelszo sifre sandi пароль йцукен йцукенг любовь привет qwerty qwertz azerty qwertyui qwertyuiop qwertzuiop
azertyuiop asdf asdfg asdfgh asdfghj asdfghjk asdfghjkl zxcv zxcvb zxcvbn zxcvbnm qazwsx qazwsxedc qweasd qweasdzxc wasd asd qwe
qwer qwert zxc abc abcd abcde abcdef abcdefg abcdefgh abcdefghi aaa aaaa xxx xxxx xyz zzz zaq qaz wsx asdasd qweqwe asdasdasd
qweqweqwe zxczxc letmein letmeinnow letmein letmeplease openup opensesame sesame welcome welcomeback welcomehome login logmein
signin admin admins administrator administrador adminadmin root rootroot toor superuser superadmin sysadmin system server master
masterkey user users guest guests test tests testing tester testtest testuser testpass demo sample example default changeme
changethis changeit changemenow temp temporary temppass pass passpass passcode passphrase passkey passme passwd passw pwd mypass
mypassword mypasswd thepassword yourpassword ourpassword newpassword newpass oldpassword nopassword secret secrets secret123
topsecret supersecret mysecret private secure secured security security1 access accessdenied unlock unlocked backdoor backup
database oracle mysql postgres ftp internet intranet network computer laptop desktop keyboard monitor printer windows microsoft
windowsxp linux ubuntu debian macintosh apple google yahoo hotmail gmail facebook twitter instagram youtube myspace linkedin
skype netflix spotify paypal amazon ebay samsung nokia motorola sony toshiba siemens cisco juniper intel compaq dell lenovo
hewlett ibm thinkpad android iphone iloveyou iloveu iluvu iluvyou ilovehim iloveher ilovegod ilovejesus ilovemom ilovemum
ilovedad ilovemyself iloveyoubaby iloveyousomuch iloveyou2 loveyou loveu luvyou loveme lovelove lover lovers loverboy lovergirl
lovely loveable lovable loving loveless lovebug lovestory truelove mylove mylover mylife myself mine forever foreverlove always
together happiness happy happyday smile smiley sunshine sunflower sunrise sunset sunny sunday monday tuesday wednesday thursday
friday saturday january february march april may june july august september october november december spring summer autumn winter
summertime wintertime springtime holiday vacation weekend birthday christmas xmas halloween easter thanksgiving valentine newyear
season seasons monkey monkeys monkeyman dragon dragons dragonfly dragonball dragonballz tiger tigers tigger lion lions lioness
panther panthers leopard jaguar jaguars cheetah cougar puma bear bears teddybear pandabear panda koala wolf wolves wolfpack fox
foxes eagle eagles falcon falcons hawk hawks raven ravens phoenix penguin penguins dolphin dolphins shark sharks whale turtle
snake cobra viper python spider spiderman scorpion scorpio butterfly butterflies bumblebee honeybee ladybug insect kitty kitten
kittens kittycat kitkat hellokitty pussycat pussy cat cats catdog doggy doggie dog dogs dogdog puppy puppies bulldog bulldogs
horse horses pony mustang mustangs stallion bronco broncos cowboy cowboys cowgirl buffalo elephant rabbit bunny hamster mouse
mickey mickeymouse minnie donald donaldduck duck ducks chicken rooster turkey cow pig piggy piglet goat sheep frog froggy frogger
monkey1 gorilla banana bananas apple apples orange oranges strawberry cherry cherries peach peaches peanut peanuts pumpkin pepper
peppers cookie cookies biscuit chocolate candy candyman sugar honey honeybun honeybunny honeypie sweetie sweetheart sweetpea
sweetness sweet sweety cupcake muffin pancake pickle pickles potato tomato cheese butter bacon pizza burger hamburger hotdog
noodle spaghetti coffee tea beer guinness heineken budweiser corona whiskey vodka tequila wine martini brandy ginger cinnamon
vanilla caramel mint apricot mango lemon lemonade coconut blueberry blackberry raspberry watermelon pineapple grape grapes
baseball football basketball softball volleyball soccer hockey tennis golf golfer golfing golfball rugby cricket swimming
swimmer runner running cycling biking skiing skater skateboard snowboard surfing surfer fishing fisherman hunter hunting archery
boxing wrestling karate judo bowling bowler racing racer nascar formula yankees redsox dodgers giants mets cubs braves tigers
orioles phillies pirates padres rangers athletics bluejays steelers packers patriots raiders redskins vikings chargers chiefs
colts saints bengals browns titans texans dolphins lakers celtics bulls knicks heat spurs rockets warriors pistons pacers
cavaliers redwings bruins canadiens maple leafs flyers penguin blackhawks avalanche sharks rangers arsenal chelsea liverpool
manchester manutd manunited mancity tottenham everton newcastle leeds leedsutd aston villa astonvilla westham rangersfc celtic
celticfc barcelona barca realmadrid madrid atletico juventus inter intermilan milan acmilan napoli roma lazio bayern
bayernmunich dortmund schalke hamburg ajax feyenoord psv benfica porto sporting flamengo corinthians palmeiras santos
bocajuniors riverplate ronaldo messi neymar beckham rooney gerrard zidane maradona pele ronaldinho jordan jordan23 michael
michaeljordan kobe kobebryant lebron shaq iverson superman batman spiderman ironman hulk wolverine captain captainamerica
avenger avengers thor loki joker robin catwoman wonderwoman superhero supergirl superstar superfly supernova starwars starwar
skywalker darthvader vader jedi jedimaster yoda anakin kenobi chewbacca stormtrooper startrek enterprise spock voyager matrix
trinity neo morpheus terminator predator alien aliens godzilla kingkong jurassic gandalf frodo bilbo aragorn legolas gollum
mordor hobbit lordoftherings harrypotter hermione dumbledore gryffindor slytherin hogwarts potter narnia twilight edward bella
vampire vampires werewolf zombie zombies ghost ghosts monster monsters demon demons devil satan lucifer angel angels angelo
angelica angelina angelbaby angeleyes angeles heaven hell hello hellohello hellothere helloworld hellokitty goodbye goodluck lucky
luckyone luckydog fortune destiny faith hope grace charity blessed blessing blessings jesus jesuschrist jesusloves jesus1 christ
christian christine church bible gospel genesis exodus psalm psalms matthew mark luke john jesuslovesme godisgood godislove
thankgod praise prayer amen hallelujah allah muhammad mohammed ahmed ahmad buddha krishna shiva ganesh hanuman sairam omsairam
saibaba nirvana metallica slipknot korn linkinpark limpbizkit greenday blink182 blink beatles rollingstones ledzeppelin pinkfloyd
acdc ironmaiden megadeth slayer pantera nightwish rammstein depeche depechemode radiohead coldplay oasis blur eminem slimshady
tupac 2pac biggie snoopdogg 50cent gunit rihanna beyonce britney madonna shakira jlo justin bieber justinbieber onedirection
jonasbrothers hannahmontana mileycyrus selena taylor taylorswift ladygaga katyperry adele elvis presley hendrix marley bobmarley
lennon mccartney bowie prince queen mercury nickelback evanescence paramore fallout falloutboy mychemicalromance guitar guitars
guitarist drummer drums drum bass piano pianist violin trumpet saxophone music musica musician musiclover singer dancer dancing
dance dancer1 ballet hiphop rapper rock rocker rockstar rocknroll rockyou rocky rockon punk punkrock punker metal heavymetal
deathmetal gothic emo emoboy emogirl reggae techno trance disco jazz jazzy blues soul funky funkymonkey gangsta gangster thug
thuglife pimp pimpin playboy playgirl player playa hustler baller ballin princess princesa prinzessin princesse prince queen
king kings kingdom kingkong knight knights warrior warlord wizard wizards witch magic magical magician merlin arthur excalibur
lancelot camelot castle unicorn rainbow rainbows rainbowdash mylittlepony fairy fairies tinkerbell cinderella snowwhite ariel
mermaid pocahontas simba nemo stitch pooh winnie winniethepooh eeyore bambi dumbo pinocchio aladdin jasmine garfield snoopy
charlie charliebrown woodstock scooby scoobydoo scooby1 spongebob patrick squidward simpsons homer homersimpson bart bartman
bartsimpson lisa marge maggie futurama bender southpark cartman kenny eric stan kyle familyguy stewie peter griffin pokemon
pikachu charizard bulbasaur squirtle naruto sasuke sakura kakashi itachi hinata goku vegeta gohan bleach ichigo onepiece luffy
inuyasha sailor sailormoon digimon yugioh nintendo mario luigi supermario yoshi zelda link sonic sega playstation xbox xbox360
gameboy gamer gamers gamecube games game gameover player1 counter counterstrike halflife halo halo2 halo3 masterchief doom quake
unreal warcraft wowwow worldofwarcraft starcraft diablo diablo2 blizzard minecraft creeper steve roblox fortnite leagueoflegends
dota dota2 callofduty battlefield assassin assassins creed finalfantasy cloud sephiroth tifa squall kingdomhearts sora riku
megaman mortal kombat mortalkombat subzero tekken streetfighter hitman lara laracroft tombraider resident evil residentevil
skyrim oblivion fallout pacman tetris chess poker pokerface casino gambler blackjack lucky7 lucky13 joker1 fire fireman fireball
firefly firefox firebird flame flames water ocean river mountain mountains forest island beach desert storm stormy thunder
thunderbolt lightning tornado hurricane blizzard snow snowman snowball snowflake snowboard frosty ice iceman icecream icecube
rain rainy raindrop cloudy sky skyline bluesky star stars stargate stardust starlight starbucks shadow shadows shadow1 darkness
dark darkside darkangel darklord darkstar midnight night nightmare moonlight moon moonbeam earth planet universe galaxy cosmos
saturn jupiter mars venus pluto neptune apollo zeus athena hercules poseidon odin titan titanic red redred reddog redrose blue
blueblue bluebird blueeyes bluemoon bluesky green greenday greenbay greentree greeneyes yellow purple purplerain purplehaze pink
pinky pinkpink pinkfloyd black blackcat blackjack blackdog blackbird blackberry blackdragon blackrose white whitetiger whitewolf
silver golden gold goldfish diamond diamonds emerald ruby sapphire crystal pearl amber jade topaz platinum bronze iron steel
scarlet violet indigo lavender lilac rose roses rosebud rosemary daisy lily tulip orchid flower flowers jasmine sunflower blossom
garden america american usa canada canadian mexico mexican brasil brazil argentina colombia chile peru venezuela england english
london scotland scottish ireland irish wales france french paris germany german deutschland berlin hamburg munich austria vienna
italy italia italian rome venice spain espana spanish portugal lisbon holland amsterdam belgium brussels sweden swedish stockholm
norway oslo denmark copenhagen finland helsinki russia russian moscow poland polska warsaw ukraine turkey istanbul greece athens
egypt cairo israel jerusalem india indian indians mumbai delhi pakistan china chinese beijing shanghai hongkong japan japanese
tokyo korea seoul thailand bangkok vietnam philippines pinoy manila indonesia jakarta malaysia singapore australia aussie sydney
melbourne newzealand kiwi africa jamaica hawaii hawaiian alaska texas texas1 california cali florida miami newyork newyorkcity
nyc brooklyn bronx manhattan boston chicago detroit denver dallas houston austin phoenix seattle portland lasvegas vegas
losangeles hollywood sanfrancisco sandiego oakland orlando atlanta memphis nashville neworleans philadelphia pittsburgh
cleveland cincinnati columbus indiana michigan minnesota wisconsin virginia carolina georgia alabama tennessee kentucky montana
nevada arizona dakota jersey mississippi washington lincoln kennedy obama clinton reagan nixon trump mercedes mercedesbenz bmw
audi volkswagen porsche ferrari lamborghini maserati bugatti jaguar bentley rollsroyce toyota honda nissan mazda subaru
mitsubishi suzuki yamaha kawasaki ducati harley harleydavidson davidson triumph ford fordf150 chevy chevrolet camaro corvette
mustang gt500 shelby cobra viper dodge dodgeram charger challenger jeep hummer cadillac lincoln chrysler pontiac firebird trans
transam civic accord integra supra skyline impreza lancer evolution eclipse celica corolla camry golfgti jetta passat beetle
peugeot renault citroen fiat alfaromeo volvo saab skoda opel vauxhall truck trucker trucks trucking car cars racecar driver
motorcycle motocross motorbike bicycle airplane airborne pilot flying flyer aviation boeing airbus helicopter police policeman
cop fbi cia nypd army usarmy navy navyseal marine marines usmc semperfi soldier military airforce sniper ranger gunner guns
shotgun rifle pistol winchester remington beretta colt45 bullet bullets killer killers killme killyou killall killbill assassin
murder death deadman deadpool deadly die blood bloody skull skulls bones pirate pirates ninja ninjas samurai shogun katana sword
swordfish blade dagger shield armor hunter2 trustno1 trustnoone trustme trust iamgod imgod iamthebest iamcool imcool iamlegend
number1 numberone numero1 thebest thebest1 theone theone1 theman theking theboss bigboss boss bossman bigdog bigdaddy bigdick
bigman bigboy bigbro bigbird bigmac bigblue bigtits bigred daddy daddysgirl daddyslittlegirl mommy mommy1 mama mamama mamapapa
papa mother father brother sister family familia grandma grandpa husband wife baby babyboy babygirl babyblue babyface babydoll
babycakes babylove babyphat cutie cutiepie cute cuteako sexy sexyboy sexygirl sexybitch sexylady sexymama sexything sexyme hot
hotstuff hottie hotgirl hotboy hotmama hotrod hotpink beautiful beauty pretty prettygirl gorgeous handsome blonde brunette
redhead girl girls girlpower boy boys boyfriend girlfriend bestfriend bestfriends friend friends friendship buddy buddies pal
amigo amigos amistad bitch bitches bitchass badass badboy badgirl bad asshole asshole1 fuck fucker fuckers fucked fucking fuckyou
fuckme fuckoff fuckit fuckthis fuckface fuckyou1 fuckyou2 motherfucker shit shithead bullshit dick dickhead cock cocksucker pussy
penis vagina boobs boobies tits titties ass asses sex sexsex porn porno pornstar hardcore blowjob suckit suckme suckmydick slut
whore hooker stripper naked nude horny kinky orgasm viagra cannabis marijuana weed smoke smoker smokeweed smoking stoner ganja
420 getmoney money money1 moneyman cash cashmoney dollar dollars million millionaire rich richie bank banker business manager
office company service support helpdesk customer employee teacher student school highschool college university class class2008
class2010 class2012 graduate doctor nurse nurses nursing medical hospital lawyer engineer engineering mechanic builder farmer
farming tractor johndeere deere caterpillar cat123 chef cook kitchen welcome1 hacker hackers hacking hacked anonymous legend
legendary legends hero heroes champion champions winner winners winning loser losers lollol lol lolol lolipop lollipop lollypop
lmao rofl haha hahaha hahahaha hehehe hihihi blah blahblah blablabla nothing nothing1 whatever whatever1 whatsup wassup whocares
whoami whoknows idontknow idontcare idunno dontknow forgot forgotten forgetme forgetit remember remember1 nevermind never noway
nope yesyes yes okay okokok cool coolcool cooldude coolguy coolman coolcat coolio coolbeans awesome amazing wicked fantastic
perfect special unique original classic modern future freedom freedom1 liberty justice peace peaceful peaceout peacelove war
warcraft world worldcup earthquake power powers powerful powerman energy strong stronger strength courage brave brave1 hungry
angry crazy crazy1 crazyboy crazygirl crazyman insane maniac psycho lunatic weirdo freak freaky funny funny1 fun funtime silly
stupid stupid1 dumb dumbass dummy idiot moron fatboy fatman fatass fatcat fat skinny slim shorty shortie tall tiny little small
large giant mini maxi super supers super123 ultra mega hyper turbo nitro speed speedy speedy1 fast faster slow flash flasher
gordon rocket rockets missile bomb bomber atomic nuclear cyber robot robots robocop android1 digital electric electro electronic
laser photon quantum science scientist physics chemistry biology math algebra history geography spanish1 language poetry poet
writer reader library book books bookworm pencil paper scissors rocknrol photo photos picture camera canon nikon kodak pentax
movie movies cinema film hollywood actor actress theatre theater broadway comedy drama action horror thriller mystery adventure
fantasy dream dreams dreamer dreaming dreamon sweetdreams dreamcatcher wonder wonderful wonderland alice aliceinwonderland james
jamesbond bond007 bond agent007 goldeneye skyfall casino royale mission impossible missionimpossible topgun maverick goose
rambo rocky1 balboa apollo creed tyson mike miketyson ali bruce brucelee leebruce jackie jackiechan jetli chuck chucknorris
michelle jennifer jessica amanda ashley nicole melissa stephanie samantha elizabeth rebecca rachel sarah laura heather
danielle victoria natalie courtney brittany brittney tiffany vanessa andrea angela christina katherine kathryn catherine
katie kelly kimberly lauren megan morgan hannah emily emma olivia sophia sophie isabella isabel abigail madison chloe grace
charlotte lucy molly amber crystal monica veronica patricia barbara linda susan susana sandra donna carol sharon deborah
debbie cynthia kathleen margaret dorothy helen betty ruth maria marie mariana marina marisol martha martina natasha svetlana
tatiana olga irina elena ekaterina anastasia alexandra alexandria alexander alexandre alejandra alejandro alexis andrew
andrey anthony antonio armando austin benjamin brandon brian bryan cameron carlos charles chris christopher daniel daniela
david dennis derek diego dominic douglas dylan edgar eduardo edward eduardo enrique eric ernesto ethan fernando fernanda
francis francisco frank frankie gabriel gabriela george gerald gerardo gilbert gregory guillermo gustavo harold harry hector
henry howard isaac ivan jack jackson jacob jake james jason javier jeffrey jeremy jerome jerry jesse jimmy joel john johnny
jonathan jordan jorge jose joseph joshua josh juan juanito julian julia juliana julie julio justin karen karina keith kenneth
kevin kristen kristin kristina larry lawrence leonard leonardo lorenzo louis louise lucas luis manuel marcel marcelo marco
marcos marcus mario martin matthew maurice maxwell melvin michael michel miguel mitchell mohamed mohammad nathan nathaniel
nelson nicholas nicolas nicole norman oliver oscar pablo patrick paul paulina pedro peter philip phillip rafael ralph ramon
randy raymond ricardo richard robert roberto roger roland ronald rosario roxanne russell ryan salvador samuel sebastian sergio
sergey shane shannon shaun shawn sheila simon spencer stefan stefano stephen steven stewart stuart terry theodore theresa
thomas timothy tony travis trevor tristan tyler valentin valentina valeria vincent virginia vladimir walter warren wayne
william williams willie winston xavier zachary smith johnson miller anderson thompson martinez garcia rodriguez hernandez
lopez gonzalez fernandez sanchez ramirez romero moreno schmidt mueller schneider buster buster1 bailey bailey1 maggie max
maximus maxmax molly1 sadie sammy sammy1 samson sasha shelby simba smokey smokey1 snickers snowball sophie1 sparky sparky1
spike spot tabitha tasha taz tazmania tazdevil tasmanian teddy teddy1 thumper tinker toby tucker tweety tweetybird winston1
zeus1 ziggy zoey rocky12 rusty roxy roscoe precious precious1 prettyboy pebbles peaches1 patches oreo oscar1 nikki mollydog
misty missy midnight1 max123 marley1 lucky123 lola lady kelsey jasper jake123 hunter1 harley1 ginger1 george1 fluffy duke
dusty dexter daisy1 cuddles cooper coco cleo chester charlie1 casey buddy1 brandy boomer bandit bear1 baxter bella1 barney
angus abby abby123 admin@123 p@ssword p@ssw0rd pa$$word pa$$w0rd passw0rd passwor contra clave clave123 acceso entrar bonjour
bonsoir coucou chouchou doudou soleil amour jetaime jetadore monamour loulou nounours marseille toulouse azerty1 hallo hallo1
hallohallo schatz schatzi liebling ichliebedich schalke04 fussball sommer winterzeit sonnenschein geheim passwort1 passwort123
ficken arschloch hola holahola teamo tequiero tequieromucho amor amormio amorcito miamor micorazon corazon bonita hermosa
princesita chiquita estrella estrellita mariposa conejo perro gatito lindo linda tesoro carino vida mivida dios diosesamor
jesucristo cristo familiaunida futbol beisbol barcelona1 america1 chivas cruzazul pumas tigres santalucia guadalupe morena
ciao ciaociao amore amoremio tiamo tivoglio forzaroma forzamilan napoli1926 juventus1 stellina cucciolo principessa ferrari1
senha123 amordeus deusefiel gostosa saudade brasil123 flamengo1 polska1 kochanie kocham kochamcie misiek kasia bartek mateusz
dupa dupadupa kurwa matrix1 zaqwsx zaqwsxcde privet marina1 lubov krasotka solnishko natasha1 spartak zenit dinamo cska lokomotiv
sayang cinta cintaku bismillah alhamdulillah insyaallah indonesia1 merdeka mahalkita mahalko iloveyou! aikouka sakura1 doraemon
hello123 woaini woaini520 woaini1314 woaiwojia 5201314 1314520 7758521 asdqwe zhang wang chen liu lihua aini1314 nihao
correcthorsebatterystaple correcthorse batterystaple incorrect iforgot ihateyou ihatethis ihateu imissyou imissu missyou
thankyou thanks please pleaseletmein letmeinplease nopass nopasswd nosecret guessme guesswhat whatisit mystery1 mysterious
supervisor operator operador engineer1 technician tech techno1 support1 service1 webmaster webadmin website wordpress joomla
drupal apache tomcat jenkins docker kubernetes ansible vagrant raspberry raspberrypi arduino ubnt pfsense freebsd solaris
sunmicro alpine kali hacktheplanet zerocool acidburn crashoverride mrrobot elliot fsociety bitcoin bitcoins ethereum satoshi
nakamoto satoshinakamoto blockchain crypto cryptocurrency hodl dogecoin moon2021 covid covid19 corona2020 pandemic quarantine
lockdown vaccine wuhan zoom
`
    .trim()
    .split(/\s+/u),
);
